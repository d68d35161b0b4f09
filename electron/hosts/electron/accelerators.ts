const keyNames: Readonly<Record<string, string>> = {
  mod: 'CommandOrControl',
  '↑': 'Up',
  '↓': 'Down',
  '←': 'Left',
  '→': 'Right',
  '+': 'Plus',
};

/** Electron refuses keys that it does not know. */
const known =
  /^(?:(?:mod|Alt)\+(?:Alt\+)?(?:Shift\+)?(?:[\x21-\x7e↑↓←→]|Space|Enter|Home|End|F\d{1,2})|(?:Shift\+)?F\d{1,2})$/;

/** A shortcut as Electron writes it; null if it cannot. */
export const accelerator = (keys: string): string | null =>
  known.test(keys)
    ? keys
        .split(/\+(?!$)/)
        .map((part) => keyNames[part] ?? part)
        .join('+')
    : null;
