import { useState } from 'react';
import { type LocalSettings, readLocalSettings, saveLocalSettings } from './local-settings.ts';

type TextSetting = {
  [Name in keyof LocalSettings]-?: string extends NonNullable<LocalSettings[Name]> ? Name : never;
}[keyof LocalSettings];

/** A choice that this window remembers, one of `values`; what was kept by another version and is none of them counts as `first`. */
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
