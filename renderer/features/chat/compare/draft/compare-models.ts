import type { Model } from '#shared/wire/model.ts';
import { compareText as text } from '../../../../text/compare-text.ts';
import { quoteGateway } from '../../../../text/error-text.ts';

export const findModel = (models: readonly Model[], id: string): Model | undefined =>
  models.find((model) => model.id === id || model.aliases.includes(id));

/** Why a picked model cannot answer now; null if it can. */
export function getProblem(models: readonly Model[], id: string): string | null {
  // The list of models is not loaded.
  if (models.length === 0) return null;
  const record = findModel(models, id);
  if (!record) return text.gone(id);
  if (record.status === 'available' || record.status === 'degraded') return null;
  const { name, status, unavailable_reason: reason } = record;
  return text.unusable(name, reason === null ? null : quoteGateway(status, reason));
}
