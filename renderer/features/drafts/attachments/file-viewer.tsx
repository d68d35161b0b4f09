import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { composerText as text } from '../../../text/composer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';

interface FileViewerProps {
  /** The index of the file that is shown. Null: none. */
  at: number | null;
  of: number;
  onAt: (at: number | null) => void;
  title: string;
  children: ReactNode;
}

/** Shows one of several files at full size, with buttons and arrow keys to step through them in a circle. */
export function FileViewer({ at, of, onAt, title, children }: FileViewerProps) {
  const step = (by: number) => at !== null && onAt((at + by + of) % of);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    step(by);
  });
  const turns = at !== null && of > 1;
  useEffect(() => {
    if (!turns) return;
    // Listens in the capture phase, because the dialog stops arrow keys.
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, [turns]);
  return (
    <Dialog open={at !== null} onOpenChange={(open) => !open && onAt(null)} title={title} width="picture" closable>
      {/* A fixed minimum height, so that the buttons don't move between files. */}
      <div className={turns ? 'flex min-h-[70vh] flex-col justify-center' : undefined}>{at !== null && children}</div>
      {turns && (
        <div className="mt-3 flex items-center justify-center gap-2">
          <IconButton icon={ChevronLeft} label={text.previousFile} onClick={() => step(-1)} />
          <span role="status" className="text-fg-2 text-xs tabular-nums">
            {text.fileOf(at + 1, of)}
          </span>
          <IconButton icon={ChevronRight} label={text.nextFile} onClick={() => step(1)} />
        </div>
      )}
    </Dialog>
  );
}
