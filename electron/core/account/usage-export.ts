import type { UsageLine, UsagePeriod } from '#shared/contract/app/usage.ts';
import { csvRow } from '#shared/csv.ts';
import type { Naming } from '../connection/model-facts.ts';

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

const rowOf = (line: UsageLine, providerName: ProviderName): Row => ({
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

interface Piece {
  readonly text: string;
  /** Requests that are in the text so far. */
  readonly done: number;
}

/**
 * Lines as the text of a file, a piece for each page. CSV is RFC 4180, with an empty cell for what is not known; JSON an object
 * with the period and `requests`. Amounts are decimal strings in both.
 */
export async function* exportPieces(
  pages: AsyncIterable<readonly UsageLine[]>,
  period: UsagePeriod,
  format: 'csv' | 'json',
  providerName: ProviderName,
): AsyncGenerator<Piece, void> {
  let done = 0;
  const head = { format: 'portico-usage', version: 1, period };
  yield {
    text: format === 'csv' ? csvRow(columns) : `${JSON.stringify(head).slice(0, -1)},"requests":[`,
    done,
  };
  for await (const lines of pages) {
    const rows = lines.map((line) => rowOf(line, providerName));
    const text =
      format === 'csv'
        ? rows.map((row) => csvRow(columns.map((column) => row[column]))).join('')
        : rows.map((row, at) => `${done + at === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`).join('');
    done += rows.length;
    yield { text, done };
  }
  if (format === 'json') yield { text: '\n]}\n', done };
}
