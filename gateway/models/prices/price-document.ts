import { z } from 'zod';
import { formatUsdPerToken, type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';

/** USD per million tokens as a decimal string. Its sixth decimal place is one pico-USD per token. */
export const perMillion = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be USD per million tokens, such as "0.75"');
const rateFields = {
  input: perMillion,
  output: perMillion,
  cache_read: perMillion.nullable(),
  cache_write: perMillion.nullable(),
  /** For cache entries that last an hour, if their price isn't twice the input price. */
  cache_write_1h: perMillion.nullable().optional(),
  /** Set if reasoning isn't priced like other output. */
  reasoning: perMillion.nullable().optional(),
  /** Set if audio isn't priced like text. */
  input_audio: perMillion.nullable().optional(),
  /** Set if generated images aren't priced like other output. */
  output_image: perMillion.nullable().optional(),
};

/** Prices of one model, as the book, an override and a refreshed row have them. */
export const priceFields = z.strictObject({
  ...rateFields,
  /** USD per million requests. */
  request: perMillion.optional(),
  /** Each tier prices the whole request if its prompt is longer than `above` tokens. */
  tiers: z.array(z.strictObject({ above: z.int().positive(), ...rateFields })).max(8),
});

export const priceRow = z.strictObject({
  /** First day on which the row holds, UTC; null if it has always held. */
  from: z.iso.date().nullable(),
  ...priceFields.shape,
});

/** A price book: dated rows, oldest first, with the day and the publisher of the book. */
export const priceDocument = z.strictObject({
  as_of: z.iso.date(),
  source: z.string().min(1).max(200),
  models: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z][a-z0-9-]*\/\S{1,200}$/, 'must be "provider/model"'),
        name: z.string().max(200),
        context_window: z.int().positive().nullable(),
        /** Set if the rows come from another day and another source than the book. */
        as_of: z.iso.date().optional(),
        source: z.string().min(1).max(200).optional(),
        rows: z.array(priceRow).min(1).max(50),
      }),
    )
    .max(5000),
});

export type PriceFields = z.infer<typeof priceFields>;
export type PriceRow = z.infer<typeof priceRow>;
export type PriceDocument = z.infer<typeof priceDocument>;
export type BookModel = PriceDocument['models'][number];

/** Returns the row that holds on a day (`YYYY-MM-DD`, UTC). */
export const rowOn = (rows: readonly PriceRow[], day: string): PriceRow | undefined =>
  rows.findLast(({ from }) => from === null || from <= day);

/** Converts a row to exact units, and adds its source. */
export const parsePricing = (row: PriceFields, asOf: string, source: string): Price => ({
  ...getRates(row),
  request: perToken(row.request ?? '0'),
  tiers: row.tiers.map((tier) => ({ minPromptTokens: tier.above, ...getRates(tier) })),
  asOf,
  source,
});

const getRates = (row: Omit<PriceFields, 'tiers' | 'request'>): Rates => ({
  prompt: perToken(row.input),
  completion: perToken(row.output),
  cacheRead: optional(row.cache_read),
  cacheWrite: optional(row.cache_write),
  ...(row.cache_write_1h == null ? {} : { cacheWriteHour: perToken(row.cache_write_1h) }),
  ...(row.reasoning == null ? {} : { reasoning: perToken(row.reasoning) }),
  ...(row.input_audio == null ? {} : { inputAudio: perToken(row.input_audio) }),
  ...(row.output_image == null ? {} : { outputImage: perToken(row.output_image) }),
});

const optional = (text: string | null) => (text === null ? null : perToken(text));

/**
 * USD per million tokens is micro-USD per token, so moving the point by six places gives pico-USD. A float is never
 * used.
 */
export function perToken(text: string): PicoUsd {
  const [whole = '0', fraction = ''] = text.split('.');
  return picoUsd(BigInt(`${whole}${fraction.padEnd(6, '0')}`));
}

/** Converts a price back to USD per million tokens. */
export const formatPerMillion = (price: PicoUsd): string => formatUsdPerToken(picoUsd(price * 1_000_000n));

/** Returns the document in these bytes, or what is wrong with them. */
export function parsePriceDocument(
  bytes: Uint8Array,
): { readonly document: PriceDocument; readonly fault?: never } | { readonly document: null; readonly fault: string } {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return { document: null, fault: 'it is not JSON' };
  }
  const parsed = priceDocument.safeParse(json);
  if (parsed.success) return { document: parsed.data };
  const [issue] = parsed.error.issues;
  return { document: null, fault: `${issue?.path.join('.') || 'the document'}: ${issue?.message}` };
}
