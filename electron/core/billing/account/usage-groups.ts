import type { Operator } from '#gateway/operations/operator/operator.ts';
import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { ReportedBucket } from '#shared/client/reported.ts';
import type { UsageGroupId, UsageGrouping } from '#shared/contract/app/usage.ts';
import type { UsageGroup } from '#shared/wire/usage.ts';
import { type Connections, isOwnKeys, type Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { bookedModelName, type DescribeModel } from '../../gateways/connection/model-facts.ts';
import type { Background } from '../../worker/background.ts';
import type { NamedChat } from '../../worker/name-chats.ts';

export interface GroupDeps {
  readonly connections: Pick<Connections, 'mode'>;
  readonly modelFacts: DescribeModel;
  /** Of the embedded gateway. */
  readonly operator: Pick<Operator, 'listKeys'>;
  readonly background: Pick<Background, 'run'>;
}

/** A group with the name that people know it by. */
export interface NamedGroup extends UsageGroupId {
  readonly name: string | null;
}

export type GroupOf = (bucket: Grouped) => NamedGroup;
type Grouped = Pick<
  ReportedBucket,
  'provider' | 'model' | 'key' | 'status' | 'purpose' | 'conversation_id' | 'provenance'
>;

/** What the gateway is asked to tell apart: folders are put together from conversations. */
export const toldGroup = (grouping: UsageGrouping): UsageGroup => (grouping === 'folder' ? 'conversation' : grouping);

export const getKey = ({ kind, id, provider }: UsageGroupId): string => JSON.stringify([kind, provider, id]);

const of = (kind: UsageGroupId['kind']): NamedGroup => ({ kind, id: null, provider: null, name: null });
const named = (id: string, name: string | null = null, provider: string | null = null): NamedGroup => ({
  kind: 'named',
  id,
  provider,
  name,
});

/** How buckets of a grouping are named: with what the gateway tells of keys, and the app knows of chats. */
export async function groupsFor(
  { connections, modelFacts, operator, background }: GroupDeps,
  grouping: UsageGrouping,
  buckets: readonly Pick<ReportedBucket, 'conversation_id'>[],
  { client, source }: Pick<Payer, 'client' | 'source'>,
  signal: AbortSignal,
): Promise<GroupOf> {
  switch (grouping) {
    case 'model':
      return ({ provider, model }) =>
        model === null ? of('elsewhere') : named(model, bookedModelName(modelFacts, provider, model), provider);
    case 'provider':
      return ({ provider }) => (provider === null ? of('elsewhere') : named(provider, null, provider));
    case 'status':
      return ({ status }) => (status === null ? of('elsewhere') : named(status));
    case 'purpose':
      return ({ purpose }) => (purpose == null ? of('elsewhere') : named(purpose));
    case 'provenance':
      return ({ provenance }) => (provenance == null ? of('elsewhere') : named(provenanceFor(provenance, source)));
    case 'key': {
      const labels = await keyLabels(client);
      return ({ key }) => (key === null ? of('keyless') : named(key, labels.get(key) ?? null));
    }
    default:
      return chatGroups(grouping, await getChats(buckets));
  }

  /** Labels of the keys of an account; a gateway elsewhere tells that of the key in use alone. */
  async function keyLabels(from: GatewayClient): Promise<Map<string, string | null>> {
    const { id, credential } = await askGateway(() => from.account({ signal }));
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

/** Of what a gateway charged for, whoever pays the provider decides (`costOfRecord`). */
function provenanceFor(told: string, source: string): string {
  const own = isOwnKeys(source);
  if (told === 'unfinished') return own ? 'unknown' : 'uncharged';
  return told === 'billed' && own ? 'byok' : told;
}

/** A conversation that this app never had is another program's name for something. */
function chatGroups(grouping: 'folder' | 'conversation', chats: ReadonlyMap<string, NamedChat>): GroupOf {
  return ({ conversation_id: id }) => {
    const chat = id == null ? undefined : chats.get(id);
    if (!chat) return of('elsewhere');
    if (chat.title === null) return of('deleted');
    if (grouping === 'conversation') return named(chat.id, chat.title);
    return chat.folderId === null ? of('unfiled') : named(chat.folderId, chat.folder);
  };
}
