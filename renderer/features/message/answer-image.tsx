import { ExternalLink } from 'lucide-react';
import type { NamedImage } from '../../markdown/show-image.ts';
import { text } from '../../text/chat-text.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { useAnswerImage } from './use-answer-image.ts';

interface AnswerImageProps {
  image: NamedImage | null;
  onClose: () => void;
  onOpen: (url: string) => void;
}

/** An image of an answer, fetched after the reader asked for it. */
export function AnswerImage({ image, onClose, onOpen }: AnswerImageProps) {
  return (
    <Dialog
      open={image !== null}
      onOpenChange={(open) => !open && onClose()}
      title={image?.name ?? ''}
      width="picture"
      closable
    >
      {image && <Shown image={image} onOpen={onOpen} />}
    </Dialog>
  );
}

function Shown({ image: { url, name }, onOpen }: { image: NamedImage; onOpen: (url: string) => void }) {
  const { source, data, error, retry } = useAnswerImage(url);
  return (
    <>
      {error ? (
        <Failure title={text.imageFailed} error={error} onRetry={retry} />
      ) : source && data ? (
        <img
          src={source}
          alt={name}
          width={data.width}
          height={data.height}
          className="mx-auto h-auto max-h-[65vh] w-auto max-w-full rounded-control"
        />
      ) : (
        <p role="status" className="py-12 text-center text-fg-2">
          {text.imageComing}
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <span className="min-w-0 flex-1 truncate text-fg-3 text-xs">{new URL(url).host}</span>
        <Button onClick={() => onOpen(url)}>
          <ExternalLink size={14} aria-hidden />
          {text.openInBrowser}
        </Button>
      </div>
    </>
  );
}
