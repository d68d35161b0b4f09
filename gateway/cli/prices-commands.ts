import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { getSignature, parsePrivateKey, publicKeyText } from '../access/auth/signed-bytes.ts';
import { buildCatalogue } from '../models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { formatPerMillion, type PriceFields, parsePriceDocument, perMillion } from '../models/prices/price-document.ts';
import { priceToJson } from '../models/prices/price-json.ts';
import { type AddedPrice, plannedAfter } from '../models/prices/price-rows.ts';
import { originOfPrice, shippedBook } from '../models/prices/shipped-book.ts';
import { readPricesKey } from '../operations/configuration/config.ts';
import type { CommandInput, Output, ReferenceInput } from './command-input.ts';
import { getAttribute } from './gateway-command.ts';

/** Lists the prices of the shipped book and, if there is a database, those added to it. */
export async function listPrices({ options, fromDatabase }: ReferenceInput<{ provider?: string }>): Promise<Output> {
  const added = (await fromDatabase((operator) => operator.addedPrices())) ?? [];
  const { models } = buildCatalogue(today(), [], added, new Date().getUTCHours());
  const { provider } = options;
  const selected = models.filter((model) => provider === undefined || model.provider === provider);
  if (selected.length === 0) {
    const known = [...new Set(models.map((model) => model.provider))].join(', ');
    throw new AppError('not_found', `There are no prices of a provider "${provider}". Providers: ${known}.`);
  }
  return {
    lines: ['model\tUSD per million tokens: input\toutput\tas of\tsource', ...selected.map(priceLine)],
    json: selected.map((model) => ({
      id: model.id,
      provider: model.provider,
      pricing: model.price && { ...priceToJson(model.price), as_of: model.priceAsOf, source: model.priceSource },
    })),
  };
}

export async function priceHistory({ positionals, fromDatabase }: ReferenceInput): Promise<Output> {
  const [id = ''] = positionals;
  const inBook = shippedBook.models.find((model) => model.id === id);
  const shipped = inBook ? inBook.rows.map((row) => ({ ...row, ...originOfPrice(inBook) })) : [];
  const added = ((await fromDatabase((operator) => operator.addedPrices())) ?? []).filter(({ model }) => model === id);
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

type PriceOptions = Readonly<Record<string, string>>;

export async function setPrice({ positionals, options, operator }: CommandInput<PriceOptions>): Promise<Output> {
  const [model = ''] = positionals;
  const rate = (name: string) => {
    const text = options[getAttribute(name)];
    if (text === undefined) return null;
    const read = perMillion.safeParse(text);
    if (read.success) return read.data;
    throw new AppError('invalid_input', `--${name} ${read.error.issues[0]?.message}; it is "${text}".`);
  };
  const price: PriceFields = {
    input: rate('input') ?? '0',
    output: rate('output') ?? '0',
    cache_read: rate('cache-read'),
    cache_write: rate('cache-write'),
    cache_write_1h: rate('cache-write-1h'),
    reasoning: rate('reasoning'),
    input_audio: rate('input-audio'),
    request: rate('request') ?? '0',
    tiers: [],
  };
  return changed(await operator.overridePrice({ model, price, ...fromDay(options.from) }), operator);
}

export async function unsetPrice({ positionals, options, operator }: CommandInput<PriceOptions>): Promise<Output> {
  const [model = ''] = positionals;
  return changed(await operator.overridePrice({ model, price: null, ...fromDay(options.from) }), operator);
}

type RefreshOptions = { url?: string; key?: string };

export async function refreshPrices({
  options: { url, key },
  operator,
}: CommandInput<RefreshOptions>): Promise<Output> {
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
export async function signPrices({ positionals, options }: ReferenceInput<{ keyFile: string }>): Promise<Output> {
  const [file = ''] = positionals;
  const bytes = readFile(file);
  const { fault } = parsePriceDocument(bytes);
  if (fault !== undefined)
    throw new AppError('invalid_input', `${file} is no price book: ${fault}. Nothing was signed.`);
  const key = readKey(options.keyFile);
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

async function changed(row: AddedPrice, operator: CommandInput<PriceOptions>['operator']): Promise<Output> {
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

function fromDay(text: string | undefined): { from?: string } {
  if (text === undefined) return {};
  const day = z.iso.date().safeParse(text);
  if (!day.success) throw new AppError('invalid_input', `"${text}" is not a date, such as 2027-01-31.`);
  return { from: day.data };
}

const today = () => new Date().toISOString().slice(0, 10);

const priceLine = ({ id, price, priceAsOf, priceSource }: CatalogueModel) =>
  price
    ? [
        id,
        formatPerMillion(price.prompt),
        formatPerMillion(price.completion),
        priceAsOf ?? '–',
        priceSource ?? '–',
      ].join('\t')
    : [id, 'not known', '', '', ''].join('\t');
