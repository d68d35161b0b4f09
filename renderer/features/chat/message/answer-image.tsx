import { ExternalLink, Image as ImageIcon } from 'lucide-react';
import { useState } from 'react';
import type { NamedImage } from '../../../markdown/show-image.ts';
import { text } from '../../../text/chat-text.ts';
import { markdownText } from '../../../text/markdown-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { FileViewer } from '../../drafts/attachments/file-viewer.tsx';
import { useAnswerImage } from './use-answer-image.ts';

export interface ShownImages {
  readonly all: readonly NamedImage[];
  readonly at: number;
}

interface AnswerImagesProps {
  shown: ShownImages | null;
  onShow: (shown: ShownImages | null) => void;
  onOpen: (url: string) => void;
}

/** The images that an answer names. One is fetched after the reader asked for it, and others of its server by going on to them. */
export function AnswerImages({ shown, onShow, onOpen }: AnswerImagesProps) {
  const image = shown?.all[shown.at];
  return (
    <FileViewer
      at={image ? (shown?.at ?? null) : null}
      of={shown?.all.length ?? 0}
      onAt={(at) => onShow(shown && at !== null ? { all: shown.all, at } : null)}
      title={image?.name ?? ''}
    >
      {image && <Agreed image={image} onOpen={onOpen} />}
    </FileViewer>
  );
}

const getHost = ({ url }: NamedImage): string => new URL(url).host;

/** Going on is no yes to a server that the reader has not seen: that would learn who reads. */
function Agreed({ image, onOpen }: { image: NamedImage; onOpen: (url: string) => void }) {
  const host = getHost(image);
  const [agreed, setAgreed] = useState<readonly string[]>([host]);
  if (agreed.includes(host)) return <Shown key={image.url} image={image} onOpen={onOpen} />;
  return (
    <div className="py-12 text-center">
      <Button className="max-w-full" onClick={() => setAgreed([...agreed, host])}>
        <ImageIcon size={14} aria-hidden />
        <span className="truncate">{markdownText.showImage(`${image.name} (${host})`)}</span>
      </Button>
    </div>
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
