import type { Model } from '#shared/wire/model.ts';

/** Merges the lists of several keys. Each chat model appears once and is available if any key can use it. */
export function mergeModels(lists: readonly (readonly Model[])[]): Model[] {
  const merged = new Map<string, Model>();
  for (const model of lists.flat()) {
    if (model.kind === 'embedding') continue;
    const known = merged.get(model.id);
    if (!known || rank(model) < rank(known)) merged.set(model.id, model);
  }
  return [...merged.values()];
}

/** Best first. A refusal by a plan ranks last, because it concerns one account and not the model. */
const order: readonly Model['status'][] = ['available', 'degraded', 'no_credential', 'disabled', 'plan_required'];
const rank = (model: Model) => order.indexOf(model.status);
