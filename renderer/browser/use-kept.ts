import { useState } from 'react';
import { type Kept, readLocalSettings, saveLocalSettings } from './local-settings.ts';

type TextSetting = { [Name in keyof Kept]-?: string extends NonNullable<Kept[Name]> ? Name : never }[keyof Kept];

/** A choice that this window remembers, one of `values`; what was kept by another version and is none of them counts as `first`. */
export function useKept<const Value extends string>(name: TextSetting, values: readonly Value[], first: Value) {
  const [value, setValue] = useState<Value>(() => values.find((known) => known === readLocalSettings()[name]) ?? first);
  return [
    value,
    (next: Value) => {
      setValue(next);
      saveLocalSettings({ [name]: next });
    },
  ] as const;
}
