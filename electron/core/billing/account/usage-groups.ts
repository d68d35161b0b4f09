import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { ReportedBucket } from '#shared/client/reported.ts';
import type { UsageGroupId, UsageGrouping } from '#shared/contract/app/usage.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { type Connections, isOwnKeys, type Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { type DescribeModel, ledgerModelName } from '../../gateways/connection/model-facts.ts';
import type { Background } from '../../worker/background.ts';
import type { NamedChat } from '../../worker/name-chats.ts';

export interface GroupDeps {
  readonly connections: Pick<Connections, 'mode'>;
  readonly modelFacts: DescribeModel;
  /** The operator of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
  readonly background: Pick<Background, 'run'>;
}

/** A group with its display name. */
export interface NamedGroup extends UsageGroupId {
  readonly name: string | null;
}

export type GetGroup = (bucket: Grouped) => NamedGroup;
type Grouped = Pick<
  ReportedBucket,
  'provider' | 'model' | 'key' | 'status' | 'purpose' | 'conversation_id' | 'provenance'
>;

/**
 * Returns the grouping to request from the gateway. Folders exist only in the app, so they are built from
 * conversations.
 */
export const getRequestedGroup = (grouping: UsageGrouping): UsageGroup =>
  grouping === 'folder' ? 'conversation' : grouping;

export const getKey = ({ kind, id, provider }: UsageGroupId): string => JSON.stringify([kind, provider, id]);

const unnamed = (kind: UsageGroupId['kind']): NamedGroup => ({ kind, id: null, provider: null, name: null });
const named = (id: string, name: string | null = null, provider: string | null = null): NamedGroup => ({
  kind: 'named',
  id,
  provider,
  name,
});

/** Returns a function that names the group of a bucket, from the gateway's key labels and the app's chats. */
export async function groupsFor(
  { connections, modelFacts, operator, background }: GroupDeps,
  grouping: UsageGrouping,
  buckets: readonly Pick<ReportedBucket, 'conversation_id'>[],
  { client, source }: Pick<Payer, 'client' | 'source'>,
  signal: AbortSignal,
): Promise<GetGroup> {
  switch (grouping) {
    case 'model':
      return ({ provider, model }) =>
        model === null ? unnamed('elsewhere') : named(model, ledgerModelName(modelFacts, provider, model), provider);
    case 'provider':
      return ({ provider }) => (provider === null ? unnamed('elsewhere') : named(provider, null, provider));
    case 'status':
      return ({ status }) => (status === null ? unnamed('elsewhere') : named(status));
    case 'purpose':
      return ({ purpose }) => (purpose == null ? unnamed('elsewhere') : named(purpose));
    case 'provenance':
      return ({ provenance }) => (provenance == null ? unnamed('elsewhere') : named(provenanceFor(provenance, source)));
    case 'key': {
      const labels = await keyLabels(client);
      return ({ key }) => (key === null ? unnamed('keyless') : named(key, labels.get(key) ?? null));
    }
    default:
      return chatGroups(grouping, await getChats(buckets));
  }

  /** Reads the labels of an account's keys. A remote gateway reports only the label of the key in use. */
  async function keyLabels(gateway: GatewayClient): Promise<Map<string, string | null>> {
    const { id, credential } = await askGateway(() => gateway.account({ signal }));
    const keys = connections.mode === 'embedded' && id !== null ? await operator.listKeys(id) : [];
    return new Map([
      [credential?.id ?? '', credential?.label ?? null],
      ...keys.map((key) => [key.id, key.label] as const),
    ]);
  }

  async function getChats(all: typeof buckets): Promise<Map<string, NamedChat>> {
    const ids = [...new Set(all.flatMap(({ conversation_id: id }) => id ?? []))];
    const chats = ids.length === 0 ? [] : await background.run('names', { ids }, signal);
    return new Map(chats.map((chat) => [chat.id, chat]));
  }
}

/** The gateway's value depends on who pays the provider, as in `costOfRecord`. */
function provenanceFor(reported: string, source: string): string {
  const own = isOwnKeys(source);
  if (reported === 'unfinished') return own ? 'unknown' : 'uncharged';
  return reported === 'billed' && own ? 'byok' : reported;
}

/** A conversation id that this app doesn't know comes from another program. */
function chatGroups(grouping: 'folder' | 'conversation', chats: ReadonlyMap<string, NamedChat>): GetGroup {
  return ({ conversation_id: id }) => {
    const chat = id == null ? undefined : chats.get(id);
    if (!chat) return unnamed('elsewhere');
    if (chat.title === null) return unnamed('deleted');
    if (grouping === 'conversation') return named(chat.id, chat.title);
    return chat.folderId === null ? unnamed('unfiled') : named(chat.folderId, chat.folder);
  };
}
