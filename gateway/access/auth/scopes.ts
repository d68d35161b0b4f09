import { type Scope, scope } from '#shared/wire/account.ts';

export const allScopes: readonly Scope[] = scope.options;
/** The scopes that a chat client needs. A credential gets no others unless they are asked for (decision 029). */
export const clientScopes: readonly Scope[] = ['chat', 'models'];

/** Returns the scopes that a key was stored with. Unknown ones are ignored (wire contract §4.5). */
export const scopesFromJson = (json: string): Scope[] => knownScopes(JSON.parse(json));

/** Returns the scopes among these values that this version knows. */
export const knownScopes = (values: unknown): Scope[] =>
  Array.isArray(values) ? values.flatMap((value) => scope.safeParse(value).data ?? []) : [];
