import { useShell } from '../../../page/shell-state.ts';
import { actionText } from '../../../text/action-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { ShortcutEditor } from './shortcut-editor.tsx';

/** The sheet of shortcuts over any page. */
export function ShortcutList() {
  const { overlay, show } = useShell();
  return (
    <Dialog
      open={overlay === 'shortcuts'}
      onOpenChange={(open) => show(open ? 'shortcuts' : null)}
      title={actionText.shortcuts}
      width="wide"
    >
      <ShortcutEditor />
    </Dialog>
  );
}
