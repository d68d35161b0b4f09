import { count, counted } from './format.ts';
import { words } from './language.ts';

/** The limit that was reached, and what would be left out. */
interface Overflow {
  readonly leftOut: number;
  /** The model's context, in tokens. */
  readonly limit: number;
  /** Tokens reserved for the answer. */
  readonly reserved: number;
  /** Set if the number of messages is the limit. */
  readonly maxMessages: number | null;
}

export const composerText = words({
  message: 'Message',
  placeholderNew: 'Ask anything',
  placeholder: 'Reply',
  send: 'Send',
  model: 'Model',
  searchModels: (models: number) => `Search ${count(models)} models`,
  noModel: 'No model matches',
  moreModels: (more: number) => `${count(more)} more: type to narrow down`,
  noModels: 'No models',
  auto: 'Auto',
  autoNote: 'picks a model for each message',
  needsKey: 'Needs something first',
  tools: 'Tools',
  toolsOffered: (tools: number) => `Tools (${counted(tools, 'tool', 'tools')} offered)`,
  toolsNotOffered: 'Tools (none offered)',
  toolsSwitch: 'Offer tools in this chat',
  toolsUnable: (model: string | null) => `${model ?? 'This model'} cannot call tools, so none are offered to it.`,
  toolsNote:
    'Their descriptions go with each message. Each time the model uses some is a further request, billed by itself.',
  toolsNone: 'No tools are switched on.',
  toolsSettings: 'Tools in the settings',
  searchOn: (price: string | null) => `Search the web: on${price === null ? '' : ` (${price} a search)`}`,
  searchOff: (price: string | null) => `Search the web: off${price === null ? '' : ` (${price} a search)`}`,
  searchUnable: (model: string | null) =>
    `${model ?? 'This model'} cannot search the web. Other models of this chat may.`,
  builtInTools: 'Built in',
  sendFailed: 'Not sent. Your text is still here.',
  notConnected: 'Portico’s core is not connected',
  keySend: 'send',
  cancel: 'Cancel',
  save: 'Save',
  attachments: 'Attached files',
  madeImages: 'Images of the answer',
  madeImage: (index: number, total: number, model: string) =>
    total === 1 ? `Image made by ${model}` : `Image ${index} of ${total}, made by ${model}`,
  copyImage: 'Copy image',
  saveImage: 'Save image',
  imageNotCopied: 'The image was not copied',
  attach: 'Attach files',
  removeFile: (name: string) => `Remove ${name}`,
  openFile: (name: string) => `Open ${name}`,
  previousFile: 'Previous',
  nextFile: 'Next',
  filePosition: (index: number, total: number) => `${count(index)} of ${count(total)}`,
  uploading: (name: string) => `Reading ${name}`,
  fileFacts: (size: string, tokens: string) => `${size} · ≈ ${tokens} tokens`,
  pdfPreview: (size: string) =>
    `A PDF document of ${size}. It is locked or damaged, so its pages cannot be drawn here. A model may still read it.`,
  pages: (count: number) => counted(count, 'page', 'pages'),
  firstPage: (name: string) => `First page of ${name}`,
  pdfFacts: (count: number, tokens: string) =>
    `${counted(count, 'page', 'pages')}, the first one is shown · about ${tokens} tokens`,
  fileGone: 'This file is not in the data folder any more.',
  fileOpening: 'Opening the file',
  emptyFile: (name: string) => `${name} is empty.`,
  hugeFile: (name: string, most: number) =>
    `${name} is too large: a file may have up to ${most} MB. Make it smaller or split it.`,
  tooManyFiles: (most: number) => `A message carries up to ${most} files. The others were left out.`,
  pastedFile: (number: number) => (number === 1 ? 'Pasted text.txt' : `Pasted text ${number}.txt`),
  pasteIsFile: 'The long paste is attached as a file.',
  pasteIsText: 'The long paste is in the text.',
  pasteToText: 'Put it into the text',
  pasteToFile: 'Attach it as a file',
  dropHere: 'Drop files to attach them',
  draftNotKept: 'Draft not saved',
  draftNotRead: 'Could not read the draft',
  queue: 'Waiting messages',
  notices: 'Notices about the next message',
  queuedBehind: 'Waiting: these go out one by one when the answer is complete.',
  queuedIdle: 'These messages were not sent yet.',
  queueResume: 'Go on with these',
  queueEdit: 'Edit waiting message',
  queueRemove: 'Remove waiting message',
  queueThis: 'Queue message',
  keyQueue: 'queue',
  keyPrompts: 'prompts',
  keyModel: 'model',
  prompts: 'Prompts',
  models: 'Models',
  noPrompts: 'No saved prompts yet. Add some in Settings.',
  insert: 'Insert',
  mentioned: (name: string) => `Only this one: ${name}`,
  removeMention: 'Back to the chat’s own choice',
  leftOutFiles: (files: string, model: string) =>
    `${model} cannot read these files of the project, so it does not get them: ${files}.`,
  options: 'Chat settings',
  optionsSet: 'Chat settings (changed)',
  optionsLoading: 'Loading the chat settings',
  optionsFailed: 'Could not read the chat settings',
  optionsNotKept: 'Chat settings not saved',
  system: 'System prompt',
  systemNote: 'Goes before every message of this chat.',
  noParameters: 'This model takes no parameters.',
  byDefault: 'default',
  parameters: {
    temperature: 'Temperature',
    topP: 'Top P',
    maxTokens: 'Longest answer (tokens)',
    reasoningEffort: 'Reasoning effort',
  },
  efforts: {
    none: 'None',
    minimal: 'Minimal',
    low: 'Low',
    medium: 'Medium',
    high: 'High',
    xhigh: 'Extra high',
    max: 'Maximum',
  },
  editPresets: 'Edit presets',
  makePresets: 'Make a preset of your own',
  overflow: 'When the chat no longer fits',
  overflows: { stop: 'Ask me', drop: 'Drop oldest', compact: 'Summarise' },
  overflowNotes: {
    stop: 'Nothing is left out unasked: you choose when it happens.',
    drop: 'The oldest messages stay here but are no longer sent.',
    compact: 'A summary, written by the model and billed like an answer, takes their place once you ask for it.',
  },
  summarise: 'Summarise automatically',
  summariseNote:
    'Before a message that would not fit, the model summarises the older half: a request of its own, quoted before and itemised after. Where that fails, the choice above decides.',
  summarisesFirst: (messages: number, cost: string | null) =>
    `This chat no longer fits: the first ${counted(messages, 'message is', 'messages are')} summarised before this one is sent, for ${cost ?? 'a price that is not known'}.`,
  summarisesNothing: 'This chat no longer fits, and is too short to be summarised.',
  contextTitle: 'Context',
  contextUse: (used: string, limit: string | null) =>
    limit === null ? `About ${used} tokens go to the model.` : `About ${used} of ${limit} tokens go to the model.`,
  contextWhole: 'The whole chat is sent.',
  contextOutside: (messages: number) =>
    `The first ${counted(messages, 'message', 'messages')} of this chat are not sent.`,
  dropOldest: 'Drop oldest messages',
  stopInstead: 'Ask me each time',
  summary: 'Summary',
  summaryOf: (messages: number) => `A summary stands for the first ${counted(messages, 'message', 'messages')}.`,
  summaryRemove: 'Use the messages again',
  compactOffer: (messages: number) => `A summary can stand for the first ${counted(messages, 'message', 'messages')}.`,
  compactCost: (range: string) => `The model writes it for ${range}.`,
  compact: 'Summarise now',
  compacting: 'Summarising',
  compactAnyway: 'Summarise anyway',
  compactAsking: 'Asking what a summary would cost',
  compactNothing: 'This chat is too short to be summarised.',
  otherModel: 'Choose another model',
  addKey: 'Add a key',
  wantsKey: (provider: string) => `Needs a key for ${provider}`,
  chooseWay: 'Choose what happens',
  overflowing: ({ leftOut, limit, reserved, maxMessages }: Overflow) => {
    const left = `${counted(leftOut, 'message', 'messages')} would have to be left out.`;
    if (maxMessages !== null) return `A request has at most ${count(maxMessages)} messages: ${left}`;
    if (leftOut === 0) return `This message alone is longer than the model’s context of ${count(limit)} tokens.`;
    return `This chat no longer fits into the model’s ${count(limit)} tokens, of which ${count(reserved)} are kept for the answer: ${left}`;
  },
  capSettings: 'Change caps',
  sendAnyway: 'Send once anyway',
  overCapTitle: 'Over your cap',
  capNear: (scope: string, cap: string, after: string) =>
    `Near your cap ${scope}: up to ${after} of ${cap} with this message.`,
  capOver: (scope: string, cap: string, after: string) =>
    `Over your cap ${scope}: ${after} of ${cap} with this message at most.`,
  capScopes: {
    message: 'for a message',
    conversation: 'for this chat',
    day: 'for today (UTC)',
    month: 'for this month (UTC)',
  },
  capOfModel: (model: string) => `for ${model} this month (UTC)`,
});
