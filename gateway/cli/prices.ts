import { readFileSync, writeFileSync } from 'node:fs';
import { AppError } from '#shared/errors.ts';
import { getSignature, parsePrivateKey, publicKeyText } from '../access/auth/signed-bytes.ts';
import { buildCatalogue } from '../models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { formatPerMillion, type PriceFields, parsePriceDocument, perMillion } from '../models/prices/price-document.ts';
import { priceToJson } from '../models/prices/price-json.ts';
import { type AddedPrice, plannedAfter } from '../models/prices/price-rows.ts';
import { originOfPrice, shippedBook } from '../models/prices/shipped-book.ts';
import { readPricesKey } from '../operations/configuration/config.ts';
import type { Administrator } from '../operations/operator/operator.ts';
import type { GatewayCommand, OptionTexts, Output } from './gateway-command.ts';
import { onDatabaseIfAny } from './on-database.ts';
import { parseDay } from './values.ts';

/** Price classes besides input and output, in the order of a price book. */
const rates = ['cache-read', 'cache-write', 'cache-write-1h', 'reasoning', 'input-audio'];
const rateMeaning = 'price per million tokens';
const firstDay = ['--from <DATE>', 'first day of a price (UTC), today at the earliest'] as const;

/** Defines the commands for prices: the shipped book, newer editions and the operator's own prices. */
export function define(program: GatewayCommand): void {
  const prices = program.command('prices').description('what models cost');
  prices
    .command('list')
    .description('prices of today')
    .option('--provider <PROVIDER>', 'only those of this provider')
    .example('gateway prices list --provider anthropic')
    .answers(listPrices);
  prices
    .command('history')
    .description('every price of a model, and from when it holds')
    .argument('<MODEL>')
    .example('gateway prices history openai/gpt-5.4-mini')
    .answers(priceHistory);
  const set = prices
    .command('set')
    .description('a price of your own')
    .argument('<MODEL>')
    .needs('--input <USD>', rateMeaning)
    .needs('--output <USD>', rateMeaning);
  for (const rate of rates) set.option(`--${rate} <USD>`, rateMeaning);
  set
    .option('--request <USD>', 'price per million requests')
    .option(...firstDay)
    .example(
      'gateway prices set openai/gpt-5.4-mini --input 0.6 --output 3.6 --from 2027-01-01      # a contract of your own',
      'gateway prices set openai-compatible/qwen3 --input 0.05 --output 0.05                  # what your server costs you',
    )
    .operates(setPrice);
  prices
    .command('unset')
    .description('the price book holds again')
    .argument('<MODEL>')
    .option(...firstDay)
    .example('gateway prices unset openai/gpt-5.4-mini')
    .operates(async (operator, model: string, { from }: OptionTexts<'from'>) =>
      changed(await operator.overridePrice({ model, price: null, ...fromDay(from) }), operator),
    );
  prices
    .command('refresh')
    .description('takes newer prices')
    .addOption(prices.createOption('--url <URL>', 'where a newer price book is').env('PORTICO_PRICES_URL'))
    .addOption(
      prices
        .createOption(
          '--key <KEY>',
          'public key of who signs that book (PEM or base64); needed unless it is on this machine',
        )
        .env('PORTICO_PRICES_KEY'),
    )
    .example('gateway prices refresh --url https://prices.example/book.json --key MCowBQYDK2VwAyEA…')
    .operates(refreshPrices);
  prices
    .command('sign')
    .description('signs a price book for gateways elsewhere: writes FILE.sig, which has to lie beside it')
    .argument('<FILE>')
    .needs('--key-file <FILE>', 'your private key (Ed25519, PEM): openssl genpkey -algorithm ed25519 -out prices.key')
    .example('gateway prices sign book.json --key-file prices.key')
    .answers(signPrices);
}

/** Lists the prices of the shipped book and, if there is a database, those added to it. */
async function listPrices({ provider }: OptionTexts<'provider'>, { database }: GatewayCommand): Promise<Output> {
  const added = await getAdded(database);
  const { models } = buildCatalogue(today(), [], added, new Date().getUTCHours());
  const selected = models.filter((model) => provider === undefined || model.provider === provider);
  if (selected.length === 0) {
    const known = [...new Set(models.map((model) => model.provider))].join(', ');
    throw new AppError('not_found', `There are no prices of a provider "${provider}". Providers: ${known}.`);
  }
  const line = ({ id, price, priceAsOf, priceSource }: CatalogueModel) =>
    (price
      ? [id, formatPerMillion(price.prompt), formatPerMillion(price.completion), priceAsOf ?? '–', priceSource ?? '–']
      : [id, 'not known', '', '', '']
    ).join('\t');
  return {
    lines: ['model\tUSD per million tokens: input\toutput\tas of\tsource', ...selected.map(line)],
    json: selected.map((model) => ({
      id: model.id,
      provider: model.provider,
      pricing: model.price && { ...priceToJson(model.price), as_of: model.priceAsOf, source: model.priceSource },
    })),
  };
}

async function priceHistory(id: string, _options: object, { database }: GatewayCommand): Promise<Output> {
  const inBook = shippedBook.models.find((model) => model.id === id);
  const shipped = inBook ? inBook.rows.map((row) => ({ ...row, ...originOfPrice(inBook) })) : [];
  const added = (await getAdded(database)).filter(({ model }) => model === id);
  if (shipped.length + added.length === 0) throw new AppError('not_found', `Nothing is known of the price of "${id}".`);
  const rows = [
    ...shipped.map(({ from, asOf, source, ...price }) => ({ from, price, asOf, source })),
    ...added.map(({ from, price, asOf, source }) => ({ from, price, asOf, source })),
  ];
  // Sorted by the day from which they apply. Of several from one day and source, the last one added applies.
  const dated = rows
    .map((row, index) => ({
      ...row,
      superseded: rows.slice(index + 1).some(({ from, source }) => from === row.from && source === row.source),
    }))
    .toSorted((first, second) => (first.from ?? '').localeCompare(second.from ?? ''));
  return {
    lines: [
      'from\tUSD per million tokens: input\toutput\tas of\tsource',
      ...dated.map(({ from, price, asOf, source, superseded }) =>
        [
          ...[from ?? 'ever', price?.input ?? 'as in the book', price?.output ?? '', asOf],
          superseded ? `${source}, superseded` : source,
        ].join('\t'),
      ),
    ],
    json: dated.map(({ from, price, asOf, source, superseded }) => ({ from, as_of: asOf, source, price, superseded })),
  };
}

const getAdded = async (database: string): Promise<readonly AddedPrice[]> =>
  (await onDatabaseIfAny(database, (operator) => operator.addedPrices())) ?? [];

async function setPrice(
  operator: Administrator,
  model: string,
  options: OptionTexts<
    'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h' | 'reasoning' | 'inputAudio' | 'request' | 'from'
  >,
): Promise<Output> {
  const rate = (name: string, text: string | undefined) => {
    if (text === undefined) return null;
    const read = perMillion.safeParse(text);
    if (read.success) return read.data;
    throw new AppError('invalid_input', `--${name} ${read.error.issues[0]?.message}; it is "${text}".`);
  };
  const price: PriceFields = {
    input: rate('input', options.input) ?? '0',
    output: rate('output', options.output) ?? '0',
    cache_read: rate('cache-read', options.cacheRead),
    cache_write: rate('cache-write', options.cacheWrite),
    cache_write_1h: rate('cache-write-1h', options.cacheWrite1h),
    reasoning: rate('reasoning', options.reasoning),
    input_audio: rate('input-audio', options.inputAudio),
    request: rate('request', options.request) ?? '0',
    tiers: [],
  };
  return changed(await operator.overridePrice({ model, price, ...fromDay(options.from) }), operator);
}

async function refreshPrices(operator: Administrator, { url, key }: OptionTexts<'url' | 'key'>): Promise<Output> {
  if (!url) {
    throw new AppError('invalid_input', 'Say where newer prices are: --url https://…, or set PORTICO_PRICES_URL.');
  }
  const { source, asOf, added, ignored, refused } = await operator.refreshPrices(
    url,
    key ? readPricesKey(key, '--key') : null,
  );
  return {
    lines: [
      ...added.map(({ model, from, price }) => [model, `from ${from}`, price?.input, price?.output].join('\t')),
      ...refused.map(({ why }) => why),
      `${added.length} new price rows from ${source}, as of ${asOf}; ${ignored.length} models there are not served here, ${refused.length} keep their price.`,
    ],
    json: { source, as_of: asOf, added: added.map(addedJson), ignored, refused },
    failed: refused.length > 0,
  };
}

/** Writes the signature of a price book beside it, and prints the public key with which gateways verify it. */
async function signPrices(file: string, { keyFile }: { keyFile: string }): Promise<Output> {
  const bytes = readFile(file);
  const { fault } = parsePriceDocument(bytes);
  if (fault !== undefined)
    throw new AppError('invalid_input', `${file} is no price book: ${fault}. Nothing was signed.`);
  const key = readKey(keyFile);
  const signature = `${file}.sig`;
  writeFileSync(signature, `${getSignature(key, bytes)}\n`);
  const publicKey = publicKeyText(key);
  return {
    lines: [
      `Signed: ${signature}. Serve it beside the book, and sign again when a byte of it changes. Gateways believe it by this key (PORTICO_PRICES_KEY):`,
      publicKey,
    ],
    json: { signature, public_key: publicKey },
  };
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new AppError('invalid_input', `${path} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

function readKey(path: string) {
  const pem = readFile(path).toString('utf8');
  try {
    return parsePrivateKey(pem);
  } catch (cause) {
    throw new AppError(
      'invalid_input',
      `${path} holds no private Ed25519 key in PEM. Make one by: openssl genpkey -algorithm ed25519 -out ${path}`,
      { cause },
    );
  }
}

async function changed(row: AddedPrice, operator: Administrator): Promise<Output> {
  const later = plannedAfter(await operator.addedPrices(), row.model, row.from);
  const state = row.price ? 'it costs what you said' : 'the price book holds again';
  return {
    lines: [
      `From ${row.from} (UTC) ${state}. Running gateways know within a quarter of a minute:`,
      ...later.map(
        ({ from, price }) =>
          `From ${from} it costs ${price?.input} / ${price?.output} as planned; "prices unset ${row.model} --from ${from}" takes that back.`,
      ),
      row.model,
    ],
    json: addedJson(row),
  };
}

const addedJson = ({ model, from, asOf, source, price }: AddedPrice) => ({ model, from, as_of: asOf, source, price });

const fromDay = (text: string | undefined): { from?: string } => (text === undefined ? {} : { from: parseDay(text) });

const today = () => new Date().toISOString().slice(0, 10);
