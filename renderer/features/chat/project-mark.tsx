import { FolderOpen } from 'lucide-react';
import { useFolder } from '../../api/use-project.ts';
import { text } from '../../text/conversations-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Hint } from '../../ui/elements/hint.tsx';
import { useChatDialog } from '../library/conversations/chat-dialog.ts';

/** Says which project the open chat belongs to, and shows what that knows. Nothing for a folder that is none. */
export function ProjectMark({ folderId }: { folderId: string }) {
  const folder = useFolder(folderId);
  const ask = useChatDialog((state) => state.ask);
  if (!folder?.isProject) return null;
  const label = text.projectTitle(folder.name);
  return (
    <Hint label={label}>
      <Button
        variant="quiet"
        className="h-7 min-w-0 max-w-48 shrink px-2 text-xs"
        aria-label={label}
        onClick={() => ask({ kind: 'project', folder })}
      >
        <FolderOpen size={14} className="shrink-0" aria-hidden />
        <span className="truncate @max-[36rem]/header:hidden">{folder.name}</span>
      </Button>
    </Hint>
  );
}
