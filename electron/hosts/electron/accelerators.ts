const keyNames: Readonly<Record<string, string>> = {
  mod: 'CommandOrControl',
  '↑': 'Up',
  '↓': 'Down',
  '←': 'Left',
  '→': 'Right',
  '+': 'Plus',
};

/** Electron throws on key names that it doesn't know. */
const known =
  /^(?:(?:mod|Alt)\+(?:Alt\+)?(?:Shift\+)?(?:[\x21-\x7e↑↓←→]|Space|Enter|Home|End|F\d{1,2})|(?:Shift\+)?F\d{1,2})$/;

/** Converts a shortcut to Electron's notation. Returns null if that isn't possible. */
export const accelerator = (keys: string): string | null =>
  known.test(keys)
    ? keys
        .split(/\+(?!$)/)
        .map((part) => keyNames[part] ?? part)
        .join('+')
    : null;
