import { headerName, type ToolServer, type ToolTransportInput, variableName } from '#shared/contract/app/tools.ts';

export interface SecretDraft {
  /** React key of the row. It is never sent. */
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** True if the core has a value. An empty field then leaves it unchanged. */
  readonly isSaved: boolean;
}

export interface ServerDraft {
  readonly name: string;
  readonly type: 'stdio' | 'http';
  readonly command: string;
  /** One argument per line. */
  readonly args: string;
  readonly folder: string;
  readonly url: string;
  readonly secrets: Readonly<Record<'stdio' | 'http', readonly SecretDraft[]>>;
}

const lines = (args: readonly string[]): string => args.join('\n');

const keptSecrets = (names: readonly string[]): SecretDraft[] =>
  names.map((name, key) => ({ key, name, value: '', isSaved: true }));

export function getDraft(server: ToolServer | null): ServerDraft {
  const empty = { command: '', args: '', folder: '', url: '', secrets: { stdio: [], http: [] } };
  if (!server) return { name: '', type: 'stdio', ...empty };
  const { name, transport } = server;
  if (transport.type === 'http') {
    const { url, headers } = transport;
    return { ...empty, name, type: 'http', url, secrets: { stdio: [], http: keptSecrets(headers) } };
  }
  const { command, args, folder, variables } = transport;
  const secrets = { stdio: keptSecrets(variables), http: [] };
  return { ...empty, name, type: 'stdio', command, args: lines(args), folder: folder ?? '', secrets };
}

/** Returns the validation error of one row. Empty rows are not sent. */
export function secretProblem(draft: ServerDraft, { key, name, value }: SecretDraft): 'name' | 'twice' | null {
  if (name === '' && value === '') return null;
  const rule = draft.type === 'http' ? headerName : variableName;
  if (!rule.safeParse(name).success) return 'name';
  const same = (other: string) => (draft.type === 'http' ? other.toLowerCase() === name.toLowerCase() : other === name);
  return draft.secrets[draft.type].some((other) => other.key < key && same(other.name)) ? 'twice' : null;
}

export const isUrl = (url: string): boolean => /^https?:\/\//i.test(url.trim()) && URL.canParse(url.trim());

/** Returns the transport for the core, or null while it is incomplete. Unchanged arguments are passed on exactly. */
export function transportIn(draft: ServerDraft, before: ToolServer | null): ToolTransportInput | null {
  const rows = draft.secrets[draft.type];
  if (rows.some((row) => secretProblem(draft, row) !== null)) return null;
  const secrets = Object.fromEntries(rows.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
  if (draft.type === 'http') {
    return isUrl(draft.url) ? { type: 'http', url: draft.url.trim(), headers: secrets } : null;
  }
  const command = draft.command.trim();
  if (command === '') return null;
  const known = before?.transport.type === 'stdio' ? before.transport.args : [];
  const args = draft.args === lines(known) ? known : draft.args.split('\n').filter((line) => line !== '');
  return { type: 'stdio', command, args, folder: draft.folder.trim() || null, variables: secrets };
}
