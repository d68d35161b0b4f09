import { type Scope, scope } from '#shared/wire/account.ts';

export const allScopes: readonly Scope[] = scope.options;

/** The scopes a key was stored with. What this version does not know is ignored (wire contract §4.5). */
export function scopesFromJson(json: string): Scope[] {
  const values: unknown = JSON.parse(json);
  return Array.isArray(values) ? values.flatMap((value) => scope.safeParse(value).data ?? []) : [];
}
