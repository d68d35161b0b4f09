import type { UsageLine, UsagePeriod } from '#shared/contract/app/usage.ts';
import type { Naming } from '../../gateways/connection/model-facts.ts';
import { tablePieces } from '../../runtime/streams/table-pieces.ts';

/** The columns of an exported request, in their order; names as in the gateway’s records, where it has them. */
const columns = [
  'request_id',
  'time',
  'provider',
  'provider_name',
  'model',
  'status',
  'error_code',
  'purpose',
  'key_id',
  'prompt_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_usd',
  'provenance',
  'conversation_id',
  'conversation',
  'message_id',
] as const;

type ProviderName = Naming['providerName'];
type Row = Readonly<Record<(typeof columns)[number], string | number | null>>;

const toRow = (line: UsageLine, providerName: ProviderName): Row => ({
  request_id: line.id,
  time: new Date(line.created * 1000).toISOString(),
  provider: line.provider,
  provider_name: line.provider && providerName(line.provider),
  model: line.model,
  status: line.status,
  error_code: line.error_code,
  purpose: line.purpose,
  key_id: line.key,
  prompt_tokens: line.prompt_tokens,
  cached_tokens: line.cached_tokens,
  cache_write_tokens: line.cache_write_tokens,
  completion_tokens: line.completion_tokens,
  reasoning_tokens: line.reasoning_tokens,
  cost_usd: line.cost_usd,
  provenance: line.provenance,
  conversation_id: line.use?.conversationId ?? null,
  conversation: line.use?.title ?? null,
  message_id: line.use?.messageId ?? null,
});

/**
 * Lines as the text of a file, a piece for each page. CSV has a row a request; JSON is an object with the period and `requests`.
 * Amounts are decimal strings in both.
 */
export function usagePieces(
  pages: AsyncIterable<readonly UsageLine[]>,
  period: UsagePeriod,
  format: 'csv' | 'json',
  providerName: ProviderName,
) {
  const head = JSON.stringify({ format: 'portico-usage', version: 1, period });
  return tablePieces(pages, {
    columns,
    toRow: (line) => toRow(line, providerName),
    format,
    around: [`${head.slice(0, -1)},"requests":[`, '\n]}\n'],
  });
}
