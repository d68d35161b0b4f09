import { type Scope, scope } from '#shared/wire/account.ts';

export const allScopes: readonly Scope[] = scope.options;
/** What a chat client needs: a credential gets no more unless more was asked for (decision 029). */
export const clientScopes: readonly Scope[] = ['chat', 'models'];

/** The scopes a key was stored with. What this version does not know is ignored (wire contract §4.5). */
export const scopesFromJson = (json: string): Scope[] => knownScopes(JSON.parse(json));

/** The scopes among these values that this version knows. */
export const knownScopes = (values: unknown): Scope[] =>
  Array.isArray(values) ? values.flatMap((value) => scope.safeParse(value).data ?? []) : [];
