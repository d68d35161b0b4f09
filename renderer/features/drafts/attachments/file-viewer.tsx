import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { composerText as text } from '../../../text/composer-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';

interface FileViewerProps {
  /** The index of the file that is shown. Null: none. */
  index: number | null;
  count: number;
  onIndex: (index: number | null) => void;
  title: string;
  children: ReactNode;
}

/** Shows one of several files at full size, with buttons and arrow keys to step through them in a circle. */
export function FileViewer({ index, count, onIndex, title, children }: FileViewerProps) {
  const move = (step: number) => index !== null && onIndex((index + step + count) % count);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    move(step);
  });
  const hasOthers = index !== null && count > 1;
  useEffect(() => {
    if (!hasOthers) return;
    // Listens in the capture phase, because the dialog stops arrow keys.
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, [hasOthers]);
  return (
    <Dialog
      open={index !== null}
      onOpenChange={(open) => !open && onIndex(null)}
      title={title}
      width="picture"
      closable
    >
      {/* A fixed minimum height, so that the buttons don't move between files. */}
      <div className={hasOthers ? 'flex min-h-[70vh] flex-col justify-center' : undefined}>
        {index !== null && children}
      </div>
      {hasOthers && (
        <div className="mt-3 flex items-center justify-center gap-2">
          <IconButton icon={ChevronLeft} label={text.previousFile} onClick={() => move(-1)} />
          <span role="status" className="text-fg-2 text-xs tabular-nums">
            {text.filePosition(index + 1, count)}
          </span>
          <IconButton icon={ChevronRight} label={text.nextFile} onClick={() => move(1)} />
        </div>
      )}
    </Dialog>
  );
}
