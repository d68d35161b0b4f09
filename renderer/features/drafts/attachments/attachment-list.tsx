import { FileText, FileType, Image as ImageIcon, LoaderCircle, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { formatBytes } from '#shared/file-size.ts';
import { LongText } from '../../../long-text/long-text.tsx';
import { composerText as text } from '../../../text/composer-text.ts';
import { count } from '../../../text/format.ts';
import { classNames } from '../../../ui/elements/class-names.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { FileViewer } from './file-viewer.tsx';
import { useFile, useFileUrl } from './use-file.ts';
import { usePdfPage } from './use-pdf-page.ts';
import type { Upload } from './use-uploads.ts';

const icons = { image: ImageIcon, pdf: FileType, text: FileText } as const;

interface AttachmentListProps {
  files: readonly Attachment[];
  uploading?: readonly Upload[];
  /** If absent, the list is read-only. */
  onRemove?: (file: Attachment) => void;
  className?: string;
}

/** The files of a message or a draft, with preview, type and estimated tokens. */
export function AttachmentList({ files, uploading = [], onRemove, className }: AttachmentListProps) {
  const [openIndex, setOpenIndex] = useState<number | null>(null);
  if (files.length === 0 && uploading.length === 0) return null;
  const shown = openIndex === null ? undefined : files[openIndex];
  return (
    <>
      <ul aria-label={text.attachments} className={classNames('flex flex-wrap gap-2', className)}>
        {files.map((file, index) => (
          <li key={`${file.id} ${file.name}`} className="relative min-w-0 max-w-full">
            <AttachmentCard file={file} open={openIndex === index} onOpen={() => setOpenIndex(index)} />
            {onRemove && (
              <IconButton
                icon={X}
                size="sm"
                label={text.removeFile(file.name)}
                className="absolute top-0.5 right-0.5"
                onClick={() => onRemove(file)}
              />
            )}
          </li>
        ))}
        {uploading.map(({ id, name, cancel }) => (
          <li key={id} className="flex h-13 items-center gap-2 rounded-menu border border-line px-3 text-fg-2 text-xs">
            <LoaderCircle size={14} className="motion-safe:animate-spin" aria-hidden />
            <span className="max-w-40 truncate">{text.uploading(name)}</span>
            <IconButton icon={X} size="sm" label={text.removeFile(name)} onClick={cancel} />
          </li>
        ))}
      </ul>
      <FileViewer
        index={shown ? openIndex : null}
        count={files.length}
        onIndex={setOpenIndex}
        title={shown?.name ?? ''}
      >
        {shown && <Preview key={shown.id} file={shown} />}
      </FileViewer>
    </>
  );
}

function AttachmentCard({ file, open, onOpen }: { file: Attachment; open: boolean; onOpen: () => void }) {
  const picture = useFileUrl(file);
  const { page } = usePdfPage(file, open);
  const url = picture ?? page?.picture ?? null;
  const Icon = icons[file.kind];
  return (
    <button
      type="button"
      aria-label={text.openFile(file.name)}
      onClick={onOpen}
      className="flex h-13 w-56 max-w-full items-center gap-2.5 rounded-menu border border-line bg-surface py-1.5 pr-8 pl-1.5 text-left hover:bg-hover"
    >
      {url ? (
        <img src={url} alt="" className="size-10 shrink-0 rounded-control object-cover object-top" />
      ) : (
        <span className="flex size-10 shrink-0 items-center justify-center rounded-control bg-sunken text-fg-2">
          <Icon size={18} aria-hidden />
        </span>
      )}
      <span className="min-w-0">
        <span className="block truncate font-medium text-xs">{file.name}</span>
        <span className="block truncate text-2xs text-fg-3 tabular-nums">
          {text.fileFacts(formatBytes(file.bytes), count(file.tokens))}
          {page && ` · ${text.pages(page.pages)}`}
        </span>
      </span>
    </button>
  );
}

function Preview({ file }: { file: Attachment }) {
  const url = useFileUrl(file);
  if (file.kind === 'pdf') return <PdfPreview file={file} />;
  if (file.kind === 'text') return <TextPreview file={file} />;
  return url ? (
    <img src={url} alt={file.name} className="mx-auto max-h-[70vh] rounded-control" />
  ) : (
    <Missing file={file} />
  );
}

function PdfPreview({ file }: { file: Attachment }) {
  const { page, failed, gone } = usePdfPage(file, true);
  if (gone) return <Missing file={file} />;
  if (failed) return <p className="text-fg-2">{text.pdfPreview(formatBytes(file.bytes))}</p>;
  if (!page) return <p className="text-fg-2">{text.fileOpening}</p>;
  return (
    <figure>
      <img
        src={page.picture}
        alt={text.firstPage(file.name)}
        width={page.width}
        height={page.height}
        className="mx-auto h-auto max-h-[65vh] w-auto max-w-full rounded-control border border-line"
      />
      <figcaption className="mt-2 text-center text-fg-2 text-xs tabular-nums">
        {text.pdfFacts(page.pages, count(file.tokens))}
      </figcaption>
    </figure>
  );
}

const line = { heightPx: 16, letters: 100 };

function TextPreview({ file }: { file: Attachment }) {
  const { data } = useFile(file);
  const [content, setContent] = useState<string | null>(null);
  useEffect(() => {
    let here = true;
    void data?.text().then((words) => here && setContent(words));
    return () => {
      here = false;
    };
  }, [data]);
  if (content === null) return <Missing file={file} />;
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="max-h-[70vh] overflow-auto whitespace-pre-wrap rounded-control bg-sunken p-3 font-mono text-xs wrap-anywhere"
    >
      <LongText text={content} line={line} />
    </pre>
  );
}

function Missing({ file }: { file: Attachment }) {
  const { isError } = useFile(file);
  return <p className="text-fg-2">{isError ? text.fileGone : text.fileOpening}</p>;
}
