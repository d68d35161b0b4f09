import { OfficeParser } from 'officeparser';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import type { OfficeText } from './document-reader.ts';

/** Far more than people write, and far less than fills a thread's memory. */
const decompressionLimits = {
  maxUncompressedBytes: 134_217_728,
  maxTableCells: 300_000,
  maxXmlElements: 1_000_000,
};

/**
 * Returns the text of a Word, Excel, PowerPoint, OpenDocument, RTF or EPUB file as Markdown. Must run on a thread of
 * its own.
 */
export async function officeText(bytes: Uint8Array): Promise<OfficeText> {
  try {
    const document = await OfficeParser.parseOffice(Buffer.from(bytes), {
      decompressionLimits,
      ignoreInternalLinks: true,
      onWarning: () => {},
    });
    // The metadata would become front matter, which adds nothing to the text.
    document.metadata = {};
    document.content = document.content.flatMap((node) => {
      const title = getTitle(node.metadata);
      return title === null ? [node] : [heading(title), node];
    });
    const { value } = await document.to('md', {
      generateIds: false,
      includeImages: 'none',
      mdConfig: { fallbackToHtml: false, dialect: 'github' },
    });
    const text = String(value).replace(rulesAfterTitles, '$1').trim();
    // A few cells may repeat one text for gigabytes, so a text that is too large never leaves this thread.
    return Buffer.byteLength(text) > attachmentLimits.textBytes ? { fault: 'tooMuch' } : { text };
  } catch (error) {
    return { fault: getFault(error) };
  }
}

/** The library puts a rule before each sheet and slide. After a title it is superfluous. */
const rulesAfterTitles = /^(## .+\n)\n---\n/gm;

function getTitle(metadata: object | undefined): string | null {
  const { sheetName, slideNumber } = { ...metadata } as { sheetName?: string; slideNumber?: number };
  return sheetName ?? (slideNumber === undefined ? null : `Slide ${slideNumber}`);
}

const heading = (text: string) => ({
  type: 'heading' as const,
  text,
  metadata: { level: 2 },
  children: [{ type: 'text' as const, text }],
});

function getFault(error: unknown): NonNullable<OfficeText['fault']> {
  const { code } = (error as { officeIssue?: { code?: string } }).officeIssue ?? {};
  if (code === 'PASSWORD_REQUIRED' || code === 'PASSWORD_INCORRECT') return 'locked';
  if (code === 'FORMAT_UNSUPPORTED' || code === 'EXTENSION_UNSUPPORTED') return 'format';
  return code?.endsWith('_LIMIT_EXCEEDED') ? 'tooMuch' : 'damaged';
}
