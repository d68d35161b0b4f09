import { callTitle, toolNames } from '#shared/language/tool-names.ts';
import { words } from './language.ts';

/** The texts of Settings → Tools. */
export const text = words({
  loading: 'Loading tools',
  failed: 'Could not read the tools',
  intro:
    'What is switched on here is offered to models that can call tools, in each chat that wants it. A model asks; tools that reach out run only as far as you allow it.',
  builtIn: 'Built-in tools',
  builtInTools: {
    calculator: 'Works out arithmetic expressions exactly, with 34 digits.',
    current_time: 'The date, weekday and time now, here or in another time zone.',
    fetch_page: 'Reads a public web page (https) as text. Cannot reach private networks, log in or run scripts.',
  } as Readonly<Record<string, string>>,
  builtInNote: 'None of them changes anything.',
  notSwitched: 'Not switched',
  servers: 'Tool servers',
  serversNote:
    'Programs and addresses that speak MCP (Model Context Protocol). A program runs on this computer with your rights: add only what you trust. Before one is started or reached for the first time, by a test or the switch, Portico asks you outside this page and shows all that would be run.',
  noServers: 'No servers yet.',
  add: 'Add server',
  import: 'Import',
  states: { off: 'Off', asking: 'Asking you', starting: 'Starting', ready: 'On', failed: 'Failed' },
  changedBadge: 'Changed',
  changedNote: 'It is not what it was when you last looked. Its tools are held back until you look at it again.',
  asking: {
    stdio:
      'Portico is asking you, outside this page, whether this program may be started. Until you say yes nothing runs.',
    http: 'Portico is asking you, outside this page, whether this address may be reached. Until you say yes nothing is sent.',
  },
  askingWhere:
    'The installed app opens a message of the system. In a browser the question is a page of its own; its link is in the terminal too.',
  giveUp: 'Stop asking',
  asksFirst: 'Testing it or switching it on asks you first, outside this page.',
  heldBack: {
    stdio: 'Held back: nobody has agreed on this computer to this program being started.',
    http: 'Held back: nobody has agreed on this computer to this address being reached.',
  },
  disallow: 'Withdraw consent',
  switchFor: (name: string) => `Use the tools of ${name}`,
  actionFor: (action: string, name: string) => `${action} ${name}`,
  test: 'Test',
  testing: 'Testing',
  tested: (name: string, count: number) => `${name} works: ${count === 1 ? '1 tool' : `${count} tools`}`,
  testFailed: 'Not tested',
  look: 'Look again',
  tools: (count: number) => `Tools (${count})`,
  toolsLabel: (name: string) => `Tools of ${name}`,
  noTools: 'It has no tools.',
  readOnly: 'says it only reads',
  edit: 'Edit',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeBody: 'Its settings, its secret values and what you permitted it go with it.',
  notRemoved: 'Not removed',
  enableTitle: (name: string) => `Switch on ${name}?`,
  enableBody:
    'This is what it says of itself now. If it ever says something else, it is held back until you look again.',
  switchOn: 'Switch on',
  notOn: 'Not switched on',
  cancel: 'Cancel',
  form: {
    add: 'Add a tool server',
    edit: (name: string) => `Edit ${name}`,
    name: 'Name',
    kind: 'How it is reached',
    kinds: { stdio: 'A program here', http: 'An address' },
    command: 'Command',
    args: 'Arguments',
    argsNote: 'One a line.',
    folder: 'Folder',
    folderNote: 'Where it is started. May stay empty.',
    url: 'Address',
    badUrl: 'An address begins with http:// or https://',
    variables: 'Variables',
    headers: 'Headers',
    secretsNote: 'Values are kept with your keys and never shown again.',
    secretName: (index: number) => `Name ${index}`,
    secretValue: (index: number) => `Value ${index}`,
    kept: 'kept as it is',
    badName: 'Letters, digits and _ (headers: -) only',
    twice: 'Named twice',
    addSecret: { stdio: 'Add variable', http: 'Add header' },
    removeSecret: (index: number) => `Remove value ${index}`,
    editNote: 'Saving switches it off and ends what you permitted it: it may be another server now.',
    save: 'Save',
  },
  importing: {
    title: 'Import tool servers',
    json: 'Settings of another program',
    note: 'Paste its JSON with "mcpServers" (Claude Desktop, Cursor) or "servers" (VS Code). Every server comes in switched off; nothing is started.',
    act: 'Import',
    added: (count: number) => (count === 1 ? '1 server added, switched off' : `${count} servers added, switched off`),
    leftOut: 'Left out:',
    done: 'Done',
  },
  permissions: 'Permitted without asking',
  permissionsNote: 'Each is bound to one tool of a server as it is now.',
  noPermissions: 'Nothing is permitted yet.',
  permission: (tool: string, server: string) => `${tool} of ${server}`,
  everyChat: 'in every chat',
  oneChat: 'in one chat',
  inChat: (title: string) => `in “${title}”`,
  takeBack: 'Take back',
  notTaken: 'Not taken back',
});

const names = words(toolNames);

/**
 * Returns the title of a call. A built-in tool has one in the window’s language, another tool the one from its server.
 */
export const getTitle = (call: Parameters<typeof callTitle>[1]): string => callTitle(names, call);
