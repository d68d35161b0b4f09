import { X } from 'lucide-react';
import { text } from '../../../text/ui-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';

interface RefusedFilesProps {
  /** Why each file was refused. */
  refusals: readonly string[];
  onDismiss: () => void;
}

/** Reports which files were not attached, until dismissed. */
export function RefusedFiles({ refusals, onDismiss }: RefusedFilesProps) {
  if (refusals.length === 0) return null;
  return (
    <div role="alert">
      <Notice tone="bad">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1 wrap-anywhere">
            {refusals.map((sentence, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may be refused with the same sentence
              <p key={index}>{sentence}</p>
            ))}
          </div>
          <IconButton icon={X} size="sm" label={text.dismiss} className="-my-1" onClick={onDismiss} />
        </div>
      </Notice>
    </div>
  );
}
