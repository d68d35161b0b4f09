import type { Model } from '#shared/wire/model.ts';

/** One list of what several keys see: each model that chats once, and as available where any of them can use it. */
export function mergeModels(lists: readonly (readonly Model[])[]): Model[] {
  const merged = new Map<string, Model>();
  for (const model of lists.flat()) {
    if (model.kind === 'embedding') continue;
    const known = merged.get(model.id);
    if (!known || rank(model) < rank(known)) merged.set(model.id, model);
  }
  return [...merged.values()];
}

/** Best first. A plan's refusal says least: it is about one wallet, not about the model. */
const order: readonly Model['status'][] = ['available', 'degraded', 'no_credential', 'disabled', 'plan_required'];
const rank = (model: Model) => order.indexOf(model.status);
