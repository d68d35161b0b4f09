import { tokensPerPdfPage } from '#gateway/providers/content/estimate-tokens.ts';
import { sizeOfDataUrl } from '#gateway/providers/content/input-size.ts';
import type { PixelSize } from '#gateway/providers/content/picture-size.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { FilePart, ToPart } from '../../request/history.ts';

/** Sizes of pictures that were read for a quote, by their attachments' ids. */
const maxKnownSizes = 1_000;
/** What so long a file comes to at the most is all that any model can hold. */
const maxPlaceholder = 40_000;

/**
 * A placeholder for a file in a request that is only priced: it counts the same tokens, at the most and as estimated, and
 * needs the same modality, without sending megabytes each time the user pauses. Text is short and sent as it is.
 */
export function placeholderFor(toPart: ToPart): ToPart {
  const sizes = new Map<string, PixelSize | null>();

  async function getSize(file: Attachment): Promise<PixelSize | null> {
    const known = sizes.get(file.id);
    if (known !== undefined) return known;
    const part = (await toPart(file))?.part;
    const size = part?.type === 'image_url' ? sizeOfDataUrl(part.image_url.url) : null;
    if (sizes.size >= maxKnownSizes) sizes.clear();
    sizes.set(file.id, size);
    return size;
  }

  return async (file) => {
    if (file.kind === 'image') {
      return { part: { type: 'image_url', image_url: { url: emptyPicture(await getSize(file)), detail: undefined } } };
    }
    return file.kind === 'pdf' ? getPdf(file) : toPart(file);
  };
}

/** A GIF without content that says so many pixels: vendors count a picture by its size. */
function emptyPicture(size: PixelSize | null): string {
  const bytes = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
  bytes.writeUInt16LE(Math.min(size?.width ?? 8_000, 0xffff), 6);
  bytes.writeUInt16LE(Math.min(size?.height ?? 8_000, 0xffff), 8);
  return `data:image/gif;base64,${bytes.toString('base64')}`;
}

/** A PDF that says so many pages, as the gateway counts them (wire contract §7), and words for the tokens between two counts. */
function getPdf({ name, bytes, tokens }: Attachment): FilePart {
  const pages = Math.max(1, Math.floor(tokens / tokensPerPdfPage));
  const missing = Math.max(0, tokens - pages * tokensPerPdfPage);
  const said = Buffer.from(`%PDF-1.4\n1 0 obj <</Type/Pages/Count ${pages}>> endobj\n`);
  const data = Buffer.alloc(Math.max(said.length, Math.min(bytes, maxPlaceholder)), ' ');
  said.copy(data);
  const file_data = `data:application/pdf;base64,${data.toString('base64')}`;
  return {
    part: { type: 'file', file: { filename: name, file_data, file_id: undefined } },
    padding: ' a'.repeat(missing),
  };
}
