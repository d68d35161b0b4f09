import { Check, Copy, Download, ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { formatBytes } from '#shared/file-size.ts';
import { saveFile } from '../../../browser/save-file.ts';
import { text as chatText } from '../../../text/chat-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { classNames } from '../../../ui/elements/class-names.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { FileViewer } from './file-viewer.tsx';
import { useFile, useFileUrl } from './use-file.ts';

interface MadeImagesProps {
  files: readonly Attachment[];
  /** The name of the model that made the images. */
  name: string;
}

/** The images that a model made for an answer. Each opens at full size. */
export function MadeImages({ files, name }: MadeImagesProps) {
  const [shown, setShown] = useState<number | null>(null);
  if (files.length === 0) return null;
  const getLabel = (index: number) => text.madeImage(index + 1, files.length, name);
  const file = shown === null ? undefined : files[shown];
  return (
    <>
      <ul
        aria-label={text.madeImages}
        className={classNames('mt-3', files.length > 1 && 'grid grid-cols-2 items-end gap-3 sm:grid-cols-3')}
      >
        {files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an image may occur twice, and the order never changes
          <li key={`${file.id} ${index}`} className="min-w-0 max-w-full">
            <MadeImage file={file} label={getLabel(index)} onOpen={() => setShown(index)} />
          </li>
        ))}
      </ul>
      <FileViewer index={shown} count={files.length} onIndex={setShown} title={shown === null ? '' : getLabel(shown)}>
        {file && shown !== null && <Whole file={file} label={getLabel(shown)} />}
      </FileViewer>
    </>
  );
}

function Whole({ file, label }: { file: Attachment; label: string }) {
  const url = useFileUrl(file);
  return url && <img src={url} alt={label} className="mx-auto max-h-[75vh] max-w-full rounded-control" />;
}

function MadeImage({ file, label, onOpen }: { file: Attachment; label: string; onOpen: () => void }) {
  const url = useFileUrl(file);
  const { data, isError } = useFile(file);
  if (isError) {
    return (
      <p className="flex items-center gap-2 rounded-menu border border-line px-3 py-2 text-fg-2 text-sm">
        <ImageOff size={16} className="shrink-0" aria-hidden />
        {text.fileGone}
      </p>
    );
  }
  return (
    <figure className="w-fit max-w-full">
      <button type="button" aria-label={text.openFile(label)} onClick={onOpen} className="block max-w-full">
        {url ? (
          <img
            src={url}
            alt={label}
            className="max-h-96 min-h-16 max-w-full rounded-menu border border-line object-contain"
          />
        ) : (
          <span className="block size-96 max-w-full rounded-menu border border-line bg-sunken" />
        )}
      </button>
      {data && (
        <figcaption className="mt-1 flex items-center gap-1 text-fg-3 text-xs tabular-nums">
          <span className="mr-auto">{formatBytes(file.bytes)}</span>
          <ImageActions file={file} data={data} />
        </figcaption>
      )}
    </figure>
  );
}

function ImageActions({ file, data }: { file: Attachment; data: Blob }) {
  const [copied, setCopied] = useState(false);
  const { failed } = useNotify();
  const copy = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': asPng(data) })]);
      setCopied(true);
      setTimeout(setCopied, 1_500, false);
    } catch (error) {
      failed(text.imageNotCopied, error);
    }
  };
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        size="sm"
        label={copied ? chatText.copied : text.copyImage}
        onClick={copy}
      />
      <IconButton icon={Download} size="sm" label={text.saveImage} onClick={() => saveFile(data, file.name)} />
    </>
  );
}

/** Converts an image to PNG, the only image type that every clipboard accepts. */
async function asPng(data: Blob): Promise<Blob> {
  if (data.type === 'image/png') return data;
  const bitmap = await createImageBitmap(data);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}
