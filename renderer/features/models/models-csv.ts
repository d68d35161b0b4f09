import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { csvRow } from '#shared/csv.ts';
import { parseUsdPerToken } from '#shared/money.ts';
import type { ProviderName } from '../../api/use-provider-name.ts';
import { saveFile } from '../../browser/save-file.ts';

/** USD per million tokens, exactly and without a currency sign. */
function perMillion(perToken: string | null | undefined): string {
  if (!perToken) return '';
  const text = parseUsdPerToken(perToken).toString().padStart(7, '0');
  const fraction = text.slice(-6).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -6) : `${text.slice(0, -6)}.${fraction}`;
}

type Cell = (model: CatalogueModel, providerName: ProviderName) => string;

const columns: readonly (readonly [string, Cell])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['provider', ({ provider }) => provider],
  ['provider_name', ({ owned_by }, providerName) => providerName(owned_by)],
  ['status', ({ status }) => status],
  ['context_length', ({ context_length: tokens }) => String(tokens ?? '')],
  ['max_output_tokens', ({ max_output_tokens: tokens }) => String(tokens ?? '')],
  ['capabilities', ({ capabilities }) => capabilities.join(' ')],
  ['input_usd_per_million', ({ pricing }) => perMillion(pricing?.prompt)],
  ['cached_input_usd_per_million', ({ pricing }) => perMillion(pricing?.input_cache_read)],
  ['cache_write_usd_per_million', ({ pricing }) => perMillion(pricing?.input_cache_write)],
  ['output_usd_per_million', ({ pricing }) => perMillion(pricing?.completion)],
  ['price_as_of', ({ pricing }) => pricing?.as_of ?? ''],
  ['price_source', ({ pricing }) => pricing?.source ?? ''],
  ['deprecation_date', (model) => model.deprecation_date ?? ''],
  ['shutdown_date', (model) => model.shutdown_date ?? ''],
];

/** Models as CSV (RFC 4180), with exact prices. */
export const modelsCsv = (models: readonly CatalogueModel[], providerName: ProviderName): string =>
  [columns.map(([name]) => name), ...models.map((model) => columns.map(([, of]) => of(model, providerName)))]
    .map(csvRow)
    .join('');

export function saveModelsCsv(models: readonly CatalogueModel[], providerName: ProviderName): void {
  saveFile(new Blob([modelsCsv(models, providerName)], { type: 'text/csv;charset=utf-8' }), 'portico-models.csv');
}
