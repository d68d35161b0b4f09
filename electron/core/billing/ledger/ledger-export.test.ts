import { expect, test } from 'vitest';
import type { ExportedLine } from '../../worker/ledger-lines.ts';
import { ledgerPieces } from './ledger-feature.ts';

const line = (id: string, provider: string | null): ExportedLine => ({
  id,
  created: '2026-11-27T07:30:00.000Z',
  type: provider ? 'usage' : 'grant',
  amount_usd: provider ? '-0.000054' : '5',
  balance_after_usd: '4.999946',
  description: provider && `${provider}/qwen3, "the small one"`,
  request_id: provider && `req_${id}`,
  provider,
  model: provider && 'qwen3',
  estimated: false,
});

const providerName = (id: string) => (id === 'the-house' ? 'The house' : id);

async function exported(pages: readonly (readonly ExportedLine[])[], format: 'csv' | 'json'): Promise<string> {
  async function* given() {
    yield* pages;
  }
  let text = '';
  for await (const piece of ledgerPieces(given(), format, providerName)) text += piece.text;
  return text;
}

const pages = [[], [line('txn_1', null), line('txn_2', 'the-house')], [], [line('txn_3', 'gone')], []];

test('an exported line has the provider’s id and its display name, in both formats and on every page', async () => {
  const rows = JSON.parse(await exported(pages, 'json')) as Record<string, unknown>[];
  const names = rows.map(({ id, provider, provider_name }) => [id, provider, provider_name]);
  expect(names).toEqual([
    ['txn_1', null, null],
    ['txn_2', 'the-house', 'The house'],
    ['txn_3', 'gone', 'gone'],
  ]);
  const [head, ...lines] = (await exported(pages, 'csv')).split('\r\n');
  expect(head).toBe(Object.keys(rows[0] ?? {}).join(','));
  expect(lines).toEqual([
    'txn_1,2026-11-27T07:30:00.000Z,grant,5,4.999946,,,,,,false',
    'txn_2,2026-11-27T07:30:00.000Z,usage,-0.000054,4.999946,"the-house/qwen3, ""the small one""",req_txn_2,the-house,The house,qwen3,false',
    'txn_3,2026-11-27T07:30:00.000Z,usage,-0.000054,4.999946,"gone/qwen3, ""the small one""",req_txn_3,gone,gone,qwen3,false',
    '',
  ]);
});

test('an empty ledger exports as a header row or an empty array', async () => {
  expect(JSON.parse(await exported([[], []], 'json'))).toEqual([]);
  expect(await exported([], 'csv')).toMatch(/^id,created,.*\r\n$/);
});
