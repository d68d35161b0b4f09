import type { Token, Tokens } from 'marked';
import { elementWeight, itemWeight, rowWeight, tokenWeight } from './token-weight.ts';

type PartsField = 'items' | 'rows' | 'tokens';

/** A block as it is sent to the page, which already has its first `keptParts` parts. */
export interface Portion {
  readonly block: Token;
  /** Its position in the document. */
  readonly index: number;
  readonly keptParts: number;
  readonly weight: number;
}

/** Returns the field with the parts of a block that can be divided: items, rows or tokens. */
function getField(block: Token | undefined): PartsField | null {
  if (block?.type === 'list') return 'items';
  if (block?.type === 'table') return 'rows';
  return block && 'tokens' in block && Array.isArray(block.tokens) ? 'tokens' : null;
}

const getParts = (block: Token, field: PartsField): readonly unknown[] => (block as Tokens.Generic)[field];

const withParts = (block: Token, field: PartsField, parts: readonly unknown[]): Token =>
  ({ ...block, [field]: parts }) as Token;

/** Joins the parts that the page already had with the parts that were sent. */
export function withKeptParts(before: Token | undefined, block: Token, keptParts: number): Token {
  const field = getField(block);
  if (keptParts === 0 || !field || !before || before.type !== block.type) return block;
  return withParts(block, field, [...getParts(before, field).slice(0, keptParts), ...getParts(block, field)]);
}

/**
 * Returns what to send of a block whose earlier state was sent before. A block that can be divided is sent in portions
 * of at most this weight.
 */
export function getPortions(block: Token, index: number, before: Token | undefined, maxWeight: number): Portion[] {
  const field = getField(block);
  if (!field) return [{ block, index, keptParts: 0, weight: tokenWeight(block, maxWeight) }];
  const parts = getParts(block, field);
  const portions: Portion[] = [];
  let first = before?.type === block.type ? countSame(getParts(before, field), parts) : 0;
  let weight = elementWeight(block);
  for (const [position, part] of parts.entries()) {
    if (position < first) continue;
    const partWeight = weighPart(part, field, maxWeight);
    if (position > first && weight + partWeight > maxWeight) {
      portions.push({ block: withParts(block, field, parts.slice(first, position)), index, keptParts: first, weight });
      first = position;
      weight = elementWeight(block);
    }
    weight += partWeight;
  }
  const last = first === 0 ? block : withParts(block, field, parts.slice(first));
  return [...portions, { block: last, index, keptParts: first, weight }];
}

function weighPart(part: unknown, field: PartsField, maxWeight: number): number {
  if (field === 'items') return itemWeight(part as Tokens.ListItem, maxWeight);
  if (field === 'rows') return rowWeight(part as Tokens.TableCell[], maxWeight);
  return tokenWeight(part as Token, maxWeight);
}

function countSame(before: readonly unknown[], now: readonly unknown[]): number {
  const different = now.findIndex(
    (part, index) => part !== before[index] && JSON.stringify(part) !== JSON.stringify(before[index]),
  );
  return different === -1 ? now.length : different;
}
