import { useState } from 'react';
import { type LocalSettings, readLocalSettings, saveLocalSettings } from './local-settings.ts';

type TextSetting = {
  [Name in keyof LocalSettings]-?: string extends NonNullable<LocalSettings[Name]> ? Name : never;
}[keyof LocalSettings];

/**
 * A choice that this window stores, one of `values`. An unknown value, stored by another version, counts as `first`.
 */
export function useLocalSetting<const Value extends string>(name: TextSetting, values: readonly Value[], first: Value) {
  const [value, setValue] = useState<Value>(() => values.find((known) => known === readLocalSettings()[name]) ?? first);
  return [
    value,
    (next: Value) => {
      setValue(next);
      saveLocalSettings({ [name]: next });
    },
  ] as const;
}
