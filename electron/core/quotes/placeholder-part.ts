import { tokensPerPdfPage } from '#gateway/content/estimate-tokens.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { FilePart, ToPart } from '../request/history.ts';

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const bytesPerToken = 3.5;
/** What so long a file comes to at the most is all that any model can hold. */
const longestPlaceholder = 40_000;

/**
 * A placeholder for a file in a request that is only priced: it counts the same tokens, at the most and as estimated, and
 * needs the same modality, without sending megabytes each time the user pauses. Text is short and sent as it is.
 */
export function placeholderFor(toPart: ToPart): ToPart {
  return async (file) => {
    if (file.kind === 'image') return { part: { type: 'image_url', image_url: { url: pixel, detail: undefined } } };
    return file.kind === 'pdf' ? pdfOf(file) : toPart(file);
  };
}

/** A PDF that says so many pages, as the gateway counts them (wire contract §7), and words for the tokens between two counts. */
function pdfOf({ name, bytes, tokens }: Attachment): FilePart {
  const pages = Math.max(1, Math.floor(tokens / tokensPerPdfPage));
  const missing = Math.max(0, tokens - pages * tokensPerPdfPage);
  const said = Buffer.from(`%PDF-1.4\n1 0 obj <</Type/Pages/Count ${pages}>> endobj\n`);
  const data = Buffer.alloc(Math.max(said.length, Math.min(bytes, longestPlaceholder)), ' ');
  said.copy(data);
  const file_data = `data:application/pdf;base64,${data.toString('base64')}`;
  return {
    part: { type: 'file', file: { filename: name, file_data, file_id: undefined } },
    padding: ' '.repeat(Math.floor(missing * bytesPerToken)),
  };
}
