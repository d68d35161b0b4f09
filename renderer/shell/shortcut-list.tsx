import { threadShortcuts } from '../features/thread-state/thread-shortcuts.ts';
import { useShell } from '../page/shell-state.ts';
import { text } from '../text/shell-text.ts';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import { Keys } from '../ui/elements/keys.tsx';
import { shortcuts } from './shortcuts.ts';

export function ShortcutTable() {
  return (
    <>
      <ShortcutRows rows={shortcuts} />
      <h3 className="mt-4 mb-1 font-medium text-fg-3 text-xs">{text.inThread}</h3>
      <ShortcutRows rows={threadShortcuts} />
    </>
  );
}

function ShortcutRows({ rows }: { rows: readonly { name: string; keys: readonly string[]; label: string }[] }) {
  return (
    <dl className="divide-y divide-line">
      {rows.map(({ name, keys, label }) => (
        <div key={name} className="flex h-9 items-center gap-3">
          <dt className="flex-1">{label}</dt>
          <dd className="flex gap-1.5">
            {keys.map((each) => (
              <Keys key={each} keys={each} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function ShortcutList() {
  const { overlay, show } = useShell();
  return (
    <Dialog
      open={overlay === 'shortcuts'}
      onOpenChange={(open) => show(open ? 'shortcuts' : null)}
      title={text.shortcuts}
    >
      <ShortcutTable />
    </Dialog>
  );
}
