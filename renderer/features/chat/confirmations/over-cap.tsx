import { useThreadView } from '../../../navigation/thread-view.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { CapSettings } from '../notices/notice-row.tsx';

/** A cap refused a further answer or an edit: the reason and the options. Nothing was stored or charged. */
export function OverCap() {
  const overCap = useThreadView((view) => view.overCap);
  const close = () => useThreadView.getState().setOverCap(null);
  const anyway = () => {
    close();
    overCap?.anyway();
  };
  return (
    <Dialog open={overCap !== null} onOpenChange={(open) => !open && close()} title={text.overCapTitle}>
      <p className="text-fg-2 text-sm">{overCap?.sentence}</p>
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        {/* The link leaves the page, and so closes the dialog. */}
        <span className="contents" onClickCapture={close}>
          <CapSettings />
        </span>
        <Button onClick={close}>{text.cancel}</Button>
        <Button variant="primary" onClick={anyway}>
          {text.sendAnyway}
        </Button>
      </div>
    </Dialog>
  );
}
