import { internalFault } from '../errors.ts';
import { type HeaderFault, headerFaults } from '../header-faults.ts';
import { readOnTheWay } from '../plain-http.ts';
import type { Model } from '../wire/model.ts';

type Kind = 'image' | 'pdf' | 'text' | 'document';
/** `reserved` and `maxMessages` are absent in errors that earlier versions stored. */
interface ContextFull {
  readonly model: string | null;
  readonly limit: number | null;
  readonly reserved?: number;
  readonly maxMessages?: number | null;
}
const kinds: Record<Kind, string> = { image: 'an image', pdf: 'a PDF', text: 'a text file', document: 'a document' };
const scopes = { message: 'a message', conversation: 'this chat', day: 'today (UTC)', month: 'this month (UTC)' };
type Scope = keyof typeof scopes;

/** What is wrong with a file that should be one of the app's databases. */
export type DatabaseFault = 'damaged' | 'foreign' | 'newer' | 'unreadable';
const faults: Record<DatabaseFault, string> = {
  damaged: 'it is damaged',
  foreign: 'it is no database of Portico',
  newer: 'it was made by a newer version of Portico',
  unreadable: 'it is damaged or cannot be read',
};

/** Why a document could not be read. */
const documentFaults = {
  locked: 'is protected by a password: save a copy without one and attach that',
  format: 'has a format that is not read. Save it as .docx, .xlsx, .pptx, OpenDocument or PDF',
  damaged: 'is damaged: open it in its own program and save it again',
  tooMuch: 'holds more text than fits into a message (1 MB): attach a part of it',
  memory:
    'unpacks to more memory than Portico gives a document, which is 768 MB, and 384 MB for a PDF: print it to a new PDF, or attach a part of it',
  slow: 'takes more than the 20 seconds to read that Portico gives a document: save it anew in its own program, or attach a part of it',
  empty: 'has no text in it: save it as a PDF or as pictures',
};
export type DocumentFault = keyof typeof documentFaults;

/** What is wrong with an input: the rules of the contract, and checks that apply to every kind of value. */
const inputRules = {
  amount: 'an amount is written such as 2.50',
  backup: 'this is not the name of a backup',
  header: 'a header is named by letters, digits and -',
  key: 'a key has no spaces and only plain characters',
  label: 'a label has 1 to 60 characters',
  price: 'a price is USD per million tokens, such as 0.75',
  tag: 'a tag has no quotes, colons or commas',
  twice: 'a model can be compared with others, not with itself',
  variable: 'a variable is named by letters, digits and _',
  version: 'a version is a date, such as 2024-10-21',
  words: 'a message needs words or a file',
  tooSmall: 'this is too short or too small',
  tooLarge: 'this is too long or too large',
  other: 'this is not what belongs here',
};
export type InputRule = keyof typeof inputRules;
export const isInputRule = (name: string): name is InputRule => Object.hasOwn(inputRules, name);

const plainHttp = `Use https: ${readOnTheWay}`;

const forSession = 'Keys that you enter now are kept for this session only.';
const notImported = (why: string) => `This file cannot be imported: ${why} Nothing was imported.`;
const notShown = (why: string) => `The picture is not shown: ${why}.`;
const tokens = new Intl.NumberFormat('en-US');

/**
 * Why the core refuses or fails. English is written here and defines the type for every other language. Only the name
 * and the parameters are sent to the window, which finds the text in its own language.
 */
export const refusalWords = {
  internalFault,
  diskFull: 'The disk is full: nothing can be saved.',
  conversationGone: 'This conversation is not here any more.',
  conversationsGone: 'These conversations are not here any more.',
  messageGone: 'This message is not here any more.',
  messageBeforeGone: 'The message before this one is not here any more.',
  answerGone: 'This answer is not here any more.',
  modelUnpriced: ({ name }: { name: string }) => `No price of ${name} is known, so nothing can be worked out for it.`,
  viewClosed: 'This view of the conversation was closed.',
  comparisonGone: 'This comparison is not here any more.',
  folderGone: 'This folder is not here any more.',
  backupGone: 'This backup is not here any more.',
  toolServerGone: 'This tool server is not here any more.',
  chatRemoved: 'The chat was removed while the message was being sent.',
  tooLateToUndo: 'It is too late to take this back.',
  callNotWaiting: 'This call does not wait for a decision any more.',
  keyRevoked: 'This key is revoked already.',
  noSuchProvider: ({ id }: { id: string }) => `There is no provider "${id}".`,
  providerNotSetUp: ({ id }: { id: string }) => `The provider "${id}" is not set up.`,
  providerNamed: 'This provider has its own name.',
  serverNamed: 'The models of your own server are saved with the server.',
  tooManyProviders: 'There are too many servers already.',
  addressNeeded: 'An https address is needed.',
  addressHasKey: 'Put the key in its own field, not in the address.',
  addressHasQuery: 'Leave away everything from "?" or "#" on.',
  addressClear: plainHttp,
  addressPlain: 'Use https: plain http is for this machine, or for one beside it that wants no key.',
  serverAddressNeeded: 'The server’s address is needed.',
  boundToAddress: 'Further keys and headers are sent only to the address they were entered for. Remove them first.',
  keyNeeded: 'A key is needed.',
  keyAgain: 'A key is sent only to the address it was entered for. Enter it again.',
  firstKeyFirst: 'Add the first key here before further ones.',
  tooManyKeys: ({ most }: { most: number }) => `A provider has ${most} keys at most.`,
  labelTaken: 'Another key has this label already.',
  keyTwice: 'This key is there already.',
  eachKeyOnce: 'Name each key once.',
  noSuchKey: 'There is no such key.',
  otherKeysUnread: 'The other keys cannot be read now.',
  unknownModel: ({ model }: { model: string }) => `"${model}" is no known model.`,
  bothPrices: ({ model }: { model: string }) => `"${model}" needs both prices or none.`,
  deploymentsNeeded: 'Name your deployments: Azure does not list them.',
  azureOnly: 'An API version is for Azure only.',
  headerValueNeeded: ({ name }: { name: string }) => `The header "${name}" needs its value.`,
  headerFault: ({ name, fault }: { name: string; fault: HeaderFault }) =>
    `The header "${name}" ${headerFaults[fault]}.`,
  inputRefused: ({ field, rule }: { field: string; rule: InputRule }) =>
    field ? `${field}: ${inputRules[rule]}.` : `${inputRules[rule]}.`,
  noSuchTool: ({ name }: { name: string }) => `There is no tool "${name}".`,
  noTestCredits: 'A connected gateway has no test credits.',
  idTaken: 'messageId: this id belongs to another message.',

  folderNameTaken: ({ name }: { name: string }) => `There is a folder named "${name}" already. Choose another name.`,
  chatBusy: 'This chat is still being answered. Stop the answer, or wait for it.',
  answerBusy: 'This answer is still being written. Stop it, or wait for it.',
  chooseAnswerFirst: 'Choose the answer to go on with first: the next message belongs below one.',
  modelGone: ({ model }: { model: string }) =>
    `${model} is not in the catalogue any more. Take another one in its place.`,
  modelUnable: ({ name, said }: { name: string; status: Model['status']; said: string | null }) =>
    said === null ? `${name} cannot answer now.` : `${name} cannot answer now: ${said}`,
  overPriceLimit: 'Each model that Auto could choose for this may cost more than the price limit that you set for it.',
  noAnswersBeside: 'This chat does not end in answers side by side that could go on together.',
  modelTwice: ({ name }: { name: string }) => `models: ${name} is picked twice.`,
  nothingToSummarise: 'There is nothing here that a summary could stand for.',
  noSummary: 'The model wrote no summary. Try another model.',
  noRoom: ({ why }: { why: string }) =>
    `This chat no longer fits into the model's context, and no summary could make room: ${why}`,
  notEnoughRoom: 'One summary was not enough.',
  capExceeded: (over: {
    scope: Scope | 'model';
    model: string | null;
    capUsd: string;
    spentUsd: string;
    afterUsd: string;
    dearest: { name: string; upToUsd: string } | null;
  }) => {
    const spent = over.scope === 'message' ? '' : `, of which $${over.spentUsd} are spent`;
    const dearest = over.dearest ? ` The dearest is ${over.dearest.name}, up to $${over.dearest.upToUsd}.` : '';
    const what = over.scope === 'model' ? `${over.model} this month (UTC)` : scopes[over.scope];
    return `Your cap for ${what} is $${over.capUsd}${spent}. With this message it could become $${over.afterUsd}.${dearest}`;
  },
  notRead: ({ model, kind, file }: { model: string | null; kind: Kind; file: string }) =>
    `${model ?? 'This model'} does not read ${kind === 'image' ? 'images' : 'PDF files'}: ${file} cannot be sent to it.`,
  removeUnread: ({ kind, file }: { kind: Kind; file: string }) =>
    `This model does not read ${kind === 'image' ? 'images' : 'PDF files'}: choose another one or remove ${file}.`,
  contextFull: ({ model, limit, reserved, maxMessages }: ContextFull) => {
    if (maxMessages != null)
      return `A request has at most ${tokens.format(maxMessages)} messages, and this chat has more.`;
    const kept = reserved ? `, of which ${tokens.format(reserved)} are kept for the answer` : '';
    return `This chat no longer fits into the context of ${model ?? 'this model'}: ${limit === null ? 'unknown' : tokens.format(limit)} tokens${kept}.`;
  },

  stopped: 'Stopped.',
  closed: 'Portico was closed.',
  closing: 'Portico is closing.',
  bodyTooLong: ({ megabytes }: { megabytes: number }) =>
    `The server sent more than ${megabytes} MB for one answer, so reading it was stopped.`,
  answerTooLong: 'The answer is longer than Portico keeps of one, so it ends here.',
  cutOff: 'The answer ended without saying that it was complete.',
  connectionLost: 'The connection to the gateway was lost in the middle of the answer.',
  gatewayAccountGone: 'This account is not here any more.',
  accountConnected: ({ name }: { name: string }) =>
    `This account is connected already, as ${name}. You can replace its key with this one.`,
  tooManyAccounts: ({ most }: { most: number }) => `There are ${most} accounts at most. Remove one first.`,
  /**
   * A gateway's refusal: its code and its own English sentence. Other languages quote that sentence after their text
   * for the code.
   */
  gatewaySaid: ({ said }: { code: string; said: string }) => said,
  gatewaySilent: ({ address }: { address: string }) => `The gateway at ${address} did not answer.`,
  gatewayUnknown: ({ status }: { status: number }) =>
    `The server answered ${status} without a gateway's error message. Is the base URL right?`,
  notReported: 'This gateway does not tell this.',
  gatewayUnreadable: "The gateway's answer is not what its interface says.",
  portInUse: ({ port }: { port: number }) => `Port ${port} is used by another program. Choose another port.`,
  portForbidden: ({ port }: { port: number }) =>
    `Port ${port} needs more rights than Portico has. Choose one above 1023.`,
  portClosed: ({ port }: { port: number }) => `Port ${port} cannot be opened. Choose another port.`,
  gatewaySlow: 'The gateway took too long to answer. Try again.',
  gatewayKeyGone:
    'The key of this gateway is not on this computer any more. Enter it again: Settings, Gateway, Replace the key.',
  gatewayInUse: ({ holder }: { holder: string | null }) =>
    `Another server${holder === null ? '' : ` (${holder})`} uses the gateway.db of this app. When it ends, answers go on by themselves.`,
  noKeyFor: ({ provider, model }: { provider: string; model: string }) =>
    `There is no key for ${provider}, so ${model} cannot answer.`,
  serverWithoutList:
    'It answers, but has no list of models. Name a model here, and check the base URL: it usually ends in /v1.',
  serverListEmpty: 'It answers, but lists no models. Load one on the server, or name one here.',
  providerSlow: 'The provider did not answer in time.',
  keyGone: 'The key is not in the keychain any more. Enter it again.',
  furtherKeyGone: 'It is not in the keychain any more. Remove it and add it again.',
  keyKeptBack: `Its key is not sent to this address: ${readOnTheWay}`,
  variableUnused: ({ variable, keyed }: { variable: string; keyed: boolean }) =>
    `${variable} is not used: it is not an https address, nor one of this machine${keyed ? ', and there is a key for it' : ''}.`,
  keyRefused: 'The provider refused the key.',
  searchGivenUp: 'The search was given up.',
  dataFolderInUse: ({ folder }: { folder: string }) =>
    `Portico is already running with the data folder ${folder}. Close it, or choose another folder with --data-dir.`,
  dataFolderClosed: ({ folder }: { folder: string }) =>
    `The data folder ${folder} cannot be written. Choose another one with --data-dir.`,
  databaseInUse: ({ file }: { file: string }) =>
    `Another program has the database of your chats open: ${file}. Close it, and start Portico again.`,
  databaseUnusable: ({ file, why }: { file: string; why: DatabaseFault }) =>
    `The database of your chats cannot be opened: ${faults[why]}. Its file is ${file}.`,
  databaseDamaged:
    'The database of your chats is damaged where this is kept. Close Portico and start it again: it will check the file and offer the newest intact backup. The damaged file is kept.',
  ledgerUnusable: ({ file, why }: { file: string; why: DatabaseFault }) =>
    `The ledger of this computer cannot be opened: ${faults[why]}. Its file is ${file}.`,
  databaseEmptied: ({ path }: { path: string }) =>
    `${path} was an empty file and there is no backup, so Portico starts without chats. If you had some, close Portico and put a copy of the file back.`,
  noIntactBackup: 'No backup is intact, so nothing was changed.',
  dataFolderFull: ({ folder }: { folder: string }) =>
    `There is no space left on the disk for the data folder ${folder}. Free some, or choose another folder with --data-dir.`,
  dataFolderOpen: ({ folder }: { folder: string }) =>
    `Others may write to the data folder ${folder}, and could replace your chats. Portico did not change that, because the folder is not yours or holds other things. Take their access away, or choose another folder with --data-dir.`,
  logNotWritten: ({ path, wanted }: { path: string; wanted: 'file' | 'folder' }) =>
    `${path} is not a ${wanted} that Portico can write, so Portico writes no log. Move it away and start Portico again.`,
  wordsNotKept: ({ path }: { path: string }) =>
    `${path} is not a file that Portico can write, so a crash can lose the newest words of an answer. Move it away and start Portico again.`,
  attachmentsNotKept: ({ path }: { path: string }) =>
    `${path} is not a folder that Portico can write, so no files can be attached. Move it away and attach the file again.`,
  keychainSilent: 'The keychain did not answer.',
  keychainNotYet: `The keychain has not answered yet. ${forSession}`,
  keychainHangs: `The keychain does not answer: unlock it and try again. ${forSession}`,
  keychainLocked: `The keychain is locked: unlock it and try again. ${forSession}`,
  keychainRefused: `The keychain refused Portico access: allow it there and try again. ${forSession}`,
  keychainNone: 'There is no keychain on this machine that Portico can use. Keys are kept for this session only.',
  extensionsRead: 'Portico runs in a browser: extensions that may read all pages can read your chats.',
  memoryRead: 'Programs that run under your user name can read the memory of the browser, and with it this page.',
  askedOnPage:
    'Before a program is started, Portico asks on a page of its own, which this page cannot reach but extensions can. The installed app asks by a window of the system.',

  fileGone: 'This file is not in the data folder any more.',
  attachmentGone: ({ name }: { name: string }) => `${name} is not in the data folder any more. Attach it again.`,
  attachmentsTooLarge: ({ megabytes }: { megabytes: number }) =>
    `These files are too large together: a message may carry ${megabytes} MB. Remove one.`,
  attachmentTooLarge: ({ name, kind, megabytes }: { name: string; kind: Kind; megabytes: number }) =>
    `${name} is too large: ${kinds[kind]} may have up to ${megabytes} MB. Make it smaller or split it.`,
  uploadTooLarge: ({ name, pdf, image, text }: { name: string; pdf: number; image: number; text: number }) =>
    `${name} is too large: a PDF may have up to ${pdf} MB, an image ${image} MB, a text file ${text} MB.`,
  uploadBroken: ({ name }: { name: string }) => `${name} did not arrive whole. Attach it again.`,
  pictureNotRead: ({ name, format }: { name: string; format: string }) =>
    `${name} is a ${format} image. Models read PNG, JPEG, WebP and GIF: convert it first.`,
  documentNotRead: ({ name, fault }: { name: string; fault: DocumentFault }) => `${name} ${documentFaults[fault]}.`,
  fileNotRead: ({ name, format }: { name: string; format: string | null }) =>
    `${name} is ${format === null ? 'a binary file' : `a ${format} file`}. Images, PDF, text, code, Office and OpenDocument files can be attached.`,
  noPicture: notShown('it is no PNG, JPEG, WebP or GIF picture'),
  pictureTooLarge: ({ width, height }: { width: number; height: number }) =>
    notShown(`it is too large to be shown, with ${width} × ${height} pixels`),
  pictureDamaged: notShown('it is damaged'),
  linkRefused: 'Only plain https, http and mailto links are opened outside the app.',
  noBrowser: 'This machine has no browser that Portico can open.',

  askedAlready: 'Portico is asking you something else outside this page already.',
  askedTooOften: ({ seconds }: { seconds: number }) =>
    `You have just said no, so Portico does not ask again for ${seconds} s.`,
  saidNo: 'Nothing was started: nobody said yes to it.',
  changedMeanwhile: 'Nothing was started: the server was changed meanwhile.',
  notAgreed: 'Not started: nobody has agreed yet to exactly this program or address being used.',
  toolsChanged: 'The server has changed since you looked at it. Look at its tools again.',
  commandTooLong: ({ lines, letters }: { lines: number; letters: number }) =>
    `Its command line is too long to be shown whole before it is started: at most ${lines} lines of ${letters} letters. Put it into a script, and name the script.`,
  tooManyServers: ({ most, found }: { most: number; found: number }) =>
    `At most ${most} servers are read at once; here are ${found}.`,
  serversNoJson: 'This is not JSON. Paste the settings file of the other program as it is.',
  serversMissing: 'There is no "mcpServers" in it.',
  serverHere: 'It is here already.',
  serverUnreadable: 'Its command, address, arguments or variables cannot be read.',
  serverNowhere: 'It has neither a command nor an address.',
  serverEnded: 'The server ended by itself.',
  serverNotStarted: 'It could not be started.',
  toolServerSilent: ({ why }: { why: string }) => `The server did not answer: ${why}`,
  toolAnswerTooLarge: ({ megabytes, values }: { megabytes: number; values: number }) =>
    `The server sent too much at once: Portico reads up to ${megabytes} MB and ${tokens.format(values)} values of one answer. Turn some of its tools off there, or ask for less.`,
  toolTooLarge: ({ tool, values, kilobytes }: { tool: string; values: number; kilobytes: number }) =>
    `Its tool ${tool} is too large: a tool's schema may have ${tokens.format(values)} values and ${tokens.format(kilobytes)} KB.`,
  toolsTooLarge: ({ tool, values, kilobytes }: { tool: string; values: number; kilobytes: number }) =>
    `Its tools are too large together, from ${tool} on: all schemas may have ${tokens.format(values)} values and ${tokens.format(kilobytes)} KB. Turn some of its tools off there.`,
  toolServerLeads: ({ origin }: { origin: string }) => `The server leads to ${origin}.`,
  toolAddressHasName: 'A name or a password in the address is not used: put it into a header.',
  toolAddressClear: plainHttp,

  copyNotKept: ({ why }: { why: DatabaseFault }) => `The copy was not kept, because ${faults[why]}. Try again.`,
  backupUnusable: ({ why }: { why: DatabaseFault }) =>
    `This backup cannot be restored: ${faults[why]}. Nothing was changed.`,
  backupRowUnreadable: ({ table, row }: { table: string; row: number }) =>
    `This backup cannot be restored: Portico cannot read row ${row} of its table "${table}". Nothing was changed.`,
  ledgerInUse:
    'Another program has the ledger open. End commands of the gateway that run, and try again. Nothing was changed.',
  backupFailed: 'The last backup failed.',
  backupDiskFull: 'The disk is full: no backup could be made. Free some space and try again.',
  backupFolderClosed: ({ folder }: { folder: string }) =>
    `The folder for backups, ${folder}, cannot be written. Check its permissions and try again.`,

  searchNeedsValue: ({ filter, example }: { filter: string; example: string }) =>
    `${filter}: needs a value, such as ${example}.`,
  searchYesOrNo: ({ filter, example }: { filter: string; example: string }) =>
    `${filter}: is yes or no, such as ${example}.`,
  searchNeedsDate: ({ filter, example }: { filter: string; example: string }) =>
    `${filter}: needs a date, such as ${example}.`,
  searchRole: 'role: is user or assistant.',
  proxyAddress:
    'The proxy’s address is http://, https:// or socks5:// with a host and a port, such as http://proxy.example:3128.',
  proxyHasPassword: 'User name and password have fields of their own; leave them out of the address.',
  noCertificate: 'There is no certificate in this text. It begins with -----BEGIN CERTIFICATE-----.',
  networkTarget: 'Only what the app calls anyway can be tested.',
  networkProxyAuth: 'The proxy wants another user name and password.',
  networkProxyRefused: 'The proxy refused to connect to it. Its rules may not allow this host.',
  networkUntrusted:
    'Its certificate is not trusted. Where a firewall reads along, add the certificate of its authority below.',
  networkNameUnknown: 'Its name is not known to this network. Is it written right, and is there a connection?',
  networkRefused: 'Nothing answers at this address and port.',
  networkTimeout: 'There was no connection in ten seconds. A firewall may swallow it.',
  networkUnreadable:
    'The network settings cannot be read, so Portico calls nothing outside this computer. Set them again under Settings → Network.',
  networkTooOld: 'This version of Electron is too old for a proxy of your own.',
  networkDown: 'There is no network to it.',
  networkFailed: ({ why }: { why: string }) => `It failed: ${why}`,

  keysTaken: 'Another program or the system has these keys already. Choose other ones.',
  secretsTestBlind: 'The test could not be made: it did not find what it had written itself.',
  updatesElsewhere: 'Newer versions come with the program that runs the app here.',
  updatesNoFeed: 'This build of Portico has no place to look for newer versions.',
  updatesNotInstalled:
    'This copy of Portico cannot replace itself: it was not installed, or is run from a folder. Download newer versions yourself.',
  updatesUnsigned:
    'This build has no key for updates, so a newer version could not be verified. Nothing is downloaded.',
  updateNotVerified: 'The newer version could not be verified and was thrown away. Nothing was changed.',
  updateInsecure: 'The feed of newer versions leads to an address without https. Nothing was downloaded.',
  updateUnreachable: ({ why }: { why: string }) =>
    `The feed of newer versions was not reached (${why}). Is there a connection, and is the proxy right?`,
  updateFeedUnusable: 'The feed of newer versions cannot be read. It is looked at again later.',
  updateNotInstalled: ({ why }: { why: string }) =>
    `The newer version was not installed (${why}). The old one is as it was; download the new one yourself.`,

  searchNoFolder: ({ name }: { name: string }) => `There is no folder "${name}".`,
  searchNoTag: ({ name }: { name: string }) => `There is no tag "${name}".`,

  exportGivenUp: 'The export was given up. Nothing was written.',
  tooMuchForPdf: 'These chats are too much for one PDF. Choose fewer of them, or export them as HTML.',
  browserSaves: 'Here the browser saves files itself.',
  savedAsPdf: 'Here chats are saved as a PDF.',
  notWritten: ({ file, why }: { file: string; why: 'full' | 'forbidden' | null }) => {
    const because =
      why === null ? '' : `, because ${why === 'full' ? 'the disk is full' : 'that place may not be written'}`;
    return `${file} was not written${because}. What was there before is unchanged.`;
  },
  pdfLate: 'The PDF was not ready in five minutes. Choose fewer chats, or export them as HTML.',
  pdfFailed: 'The PDF could not be made. Choose fewer chats, or export them as HTML.',

  importUnreadable: notImported('it could not be read.'),
  importUnknown: notImported('it is no export of Portico, ChatGPT or Claude.'),
  importEmpty: notImported('there are no conversations in it.'),
  importZipEmpty: notImported('there is no conversations.json in this ZIP archive.'),
  importZipLocked: notImported('this ZIP archive is encrypted. Unpack it and choose the conversations.json in it.'),
  importUnexpected: ({ path }: { path: string }) => notImported(`a conversation in it is not as expected (${path}).`),
  importLoose: notImported('a message in it has no place in its conversation.'),
  importHuge: notImported('a conversation in it is larger than 50 MB.'),
  importTooMany: ({ chats, messages, files }: { chats: number; messages: number; files: number }) =>
    notImported(
      `it has more than ${tokens.format(chats)} chats, ${tokens.format(messages)} messages or ${tokens.format(files)} files.`,
    ),
  importManyValues: ({ most }: { most: number }) =>
    notImported(`a conversation in it has more than ${tokens.format(most)} values.`),
  importMemory: ({ megabytes }: { megabytes: number }) =>
    notImported(`a conversation in it needs more than ${tokens.format(megabytes)} MB of memory.`),
  importManyFiles: ({ most }: { most: number }) =>
    notImported(
      `there are more than ${tokens.format(most)} files in this ZIP archive. Unpack it and choose the conversations.json in it.`,
    ),
  importNoJson: notImported('it is not valid JSON.'),
  importDeep: notImported('it is nested too deeply.'),
  importCut: notImported('it ends in the middle. Is the download complete?'),
  importGivenUp: 'This import was given up. Choose the file again.',
  importPieceMissing: 'offset: a piece of the file is missing. Choose it again.',
  importFileGone: ({ file }: { file: string }) => `${file} is not there any more. Nothing was imported.`,
  importNotOpened: 'This file was opened before. Open it once more.',
  importTooLarge: 'This file is larger than 4 GB and cannot be imported.',
};
