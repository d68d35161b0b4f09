import { counted } from '../../lib/format.ts';

const chats = (count: number) => counted(count, 'chat', 'chats');

export const text = {
  exportTitle: (count: number) => `Export ${chats(count)}`,
  format: 'Format',
  formats: { markdown: 'Markdown', html: 'HTML', json: 'JSON' },
  notes: {
    markdown: 'The branch that is shown, with what each answer cost.',
    html: 'One page to read or print, without scripts: the branch that is shown, with costs.',
    json: 'Everything: all branches, costs and marks. Portico can import it again.',
  },
  export: 'Export',
  exporting: 'Exporting',
  exported: 'Exported',
  exportFailed: 'Not exported',
  cancel: 'Cancel',
  section: 'Import and export',
  exportAll: 'Export all chats',
  noChats: 'There are no chats to export yet.',
  importFile: 'Import chats…',
  importNote: 'The JSON of Portico, or conversations.json of ChatGPT or Claude. Nothing is fetched and nothing is run.',
  fileField: 'File to import',
  reading: (percent: number) => `Reading the file, ${percent} %`,
  importTitle: (source: string, count: number) => `${chats(count)} from ${source}`,
  sources: { portico: 'Portico', chatgpt: 'ChatGPT', claude: 'Claude' },
  here: (count: number) => `${chats(count)} of it are here already and stay as they are.`,
  leftOut: 'Left out, because Portico cannot show them yet:',
  left: (what: string, count: number) => `${what}: ${count}`,
  unknownCost: 'What these answers cost is not known and is not guessed.',
  import: (count: number) => `Import ${chats(count)}`,
  importing: 'Importing',
  imported: (count: number) => `${chats(count)} imported`,
  importFailed: 'Not imported',
  messages: (count: number) => counted(count, 'message', 'messages'),
  preview: 'What is in the file',
};
