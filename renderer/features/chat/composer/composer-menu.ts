import type { Prompt } from '#shared/contract/chat/prompts.ts';
import type { Model } from '#shared/wire/model.ts';
import type { ProviderName } from '../../../api/use-provider-name.ts';
import { type ModelChoice, matches, modelGroups } from '../../models/picker/model-groups.ts';

/** The trigger at the caret: its sign, the query after it, and where it begins. */
export interface MenuTrigger {
  readonly sign: '/' | '@';
  readonly query: string;
  readonly start: number;
}

/**
 * Finds the menu trigger before the caret. `/` counts only at the start of a message, `@` at the start of any word, and
 * both only within one line.
 */
export function findTrigger(text: string, caret: number): MenuTrigger | null {
  const before = text.slice(0, caret);
  const prompt = /^\/([^\n]{0,60})$/.exec(before);
  if (prompt) return { sign: '/', query: prompt[1] ?? '', start: 0 };
  const model = /(?:^|\s)@([^\s@]{0,60})$/.exec(before);
  return model ? { sign: '@', query: model[1] ?? '', start: caret - (model[1] ?? '').length - 1 } : null;
}

export interface MenuEntry {
  readonly id: string;
  readonly name: string;
  readonly note: string;
}

const maxShown = 8;

export function promptEntries(prompts: readonly Prompt[], query: string): MenuEntry[] {
  const words = query.toLowerCase().split(/\s+/);
  return prompts
    .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
    .slice(0, maxShown)
    .map(({ id, name, text }) => ({ id, name, note: text.replace(/\s+/g, ' ').slice(0, 80) }));
}

export function modelEntries(models: readonly Model[], query: string, providerName: ProviderName): MenuEntry[] {
  return modelGroups(models, providerName)
    .flatMap((group) => group.items)
    .filter((choice: ModelChoice) => !choice.disabled && matches(choice, query.replaceAll('-', ' ')))
    .slice(0, maxShown)
    .map(({ id, name, price }) => ({ id, name, note: price }));
}

const variable = /\{\{\s*([\p{L}\p{N}_ -]{1,40}?)\s*\}\}/gu;

/** The distinct variables of a prompt, in order. */
export const getVariables = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map((match) => match[1] ?? '')),
];

/** Replaces the variables of a prompt. Variables in the values are not replaced. */
export const fillIn = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(variable, (match, name: string) => values[name] ?? match);
