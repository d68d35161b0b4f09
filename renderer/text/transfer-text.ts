import type { LeftOut } from '#shared/contract/chat/transfer.ts';
import { counted } from './format.ts';
import { words } from './language.ts';

const chats = (count: number) => counted(count, 'chat', 'chats');
const messages = (count: number) => counted(count, 'message', 'messages');
/** Combines the numbers of new chats and of messages added to existing chats. */
const both = (fresh: number, added: number): string => {
  const more = counted(added, 'new message', 'new messages');
  if (added === 0) return chats(fresh);
  return fresh === 0 ? more : `${chats(fresh)} and ${more}`;
};

export const text = words({
  exportTitle: (count: number) => `Export ${chats(count)}`,
  format: 'Format',
  formats: { markdown: 'Markdown', html: 'HTML', pdf: 'PDF', json: 'JSON', portico: 'Portico' },
  notes: {
    markdown: 'The branch that is shown, with what each answer cost. Files are named.',
    html: 'One page to read, without scripts: the branch that is shown, with costs and pictures.',
    pdf: 'One document for all of it: the branch that is shown, with costs and pictures.',
    portico: 'Everything: all branches, costs, marks and attached files. A double click on it opens it in Portico.',
    json: 'The same as a Portico file, for other programs. Portico can import it, too.',
  },
  printNote: 'Opens the print dialog of your browser, which can save a PDF: the branch that is shown, with costs.',
  export: 'Export',
  exporting: 'Exporting',
  exported: 'Exported',
  savedAs: (name: string) => `Saved as ${name}`,
  exportFailed: 'Not exported',
  exportMany: chats,
  exportName: (day: string) => `Portico chats ${day}`,
  printFrame: 'Chats to print',
  cancel: 'Cancel',
  section: 'Import and export',
  exportAll: 'Export all chats',
  noChats: 'There are no chats to export yet.',
  importFile: 'Import chats…',
  importNote:
    'A Portico file, with all that is in it, or what ChatGPT or Claude sent you: the ZIP as it came, or the conversations.json in it. Nothing is fetched and nothing is run.',
  fileField: 'File to import',
  reading: (percent: number) => `Reading the file, ${percent} %`,
  readingFile: 'Reading the file. Nothing is imported before you have seen what is in it.',
  importTitle: (source: string, count: number) => `${chats(count)} from ${source}`,
  sources: { portico: 'Portico', chatgpt: 'ChatGPT', claude: 'Claude' },
  /** What will happen with the chats of the file, in this order, without zero counts. */
  outcome: ({ fresh, grown, added, known }: { fresh: number; grown: number; added: number; known: number }) =>
    [
      ...(fresh > 0 ? [`${fresh} new`] : []),
      ...(grown > 0 ? [`${grown} grown by ${messages(added)}`] : []),
      ...(known > 0 ? [`${known} already here`] : []),
    ].join(', '),
  grownNote: 'A chat that has grown gets what is new in it. What you wrote or removed there stays so.',
  allHere: (count: number) =>
    count === 1
      ? 'This chat is here already and stays as it is.'
      : `All ${chats(count)} of it are here already and stay as they are.`,
  leftOut: 'Left out:',
  left: {
    tool_steps: (count: number) => `steps of tools: ${count}`,
    thoughts: (count: number) => `thoughts of a model: ${count}`,
    files: (count: number) => `pictures and files: ${count}`,
    other: (count: number) => `other contents: ${count}`,
    empty_chats: (count: number) => `empty chats: ${count}`,
    long_texts: (count: number) => `ends of texts beyond 2,000,000 characters: ${count}`,
    damaged_files: (count: number) => `files that are damaged: ${count}`,
    refused_files: (count: number) => `files of a kind or size that Portico does not keep: ${count}`,
    missing_files: (count: number) => `files that the export names but does not hold: ${count}`,
  } satisfies Record<LeftOut, (count: number) => string>,
  unknownCost: 'What these answers cost is not known and is not guessed.',
  import: (fresh: number, added: number) => `Import ${both(fresh, added)}`,
  importing: 'Importing',
  imported: (fresh: number, added: number) => `${both(fresh, added)} imported`,
  importFailed: 'Not imported',
  openTitle: 'Open a file of chats',
  from: (file: string) => `In ${file}:`,
  close: 'Close',
  messages,
  newMessages: (count: number) => counted(count, 'new message', 'new messages'),
  preview: 'What is in the file',
});

/** Describes the result of an export as far as it is known. A browser doesn't report what became of a download. */
export const exportedText = (exported: { as: string; name?: string }): string =>
  exported.name === undefined ? text.exported : text.savedAs(exported.name);
