import { keyNames } from '../../keyboard/key-names.ts';
import { classNames } from './class-names.ts';

/** Shows a shortcut such as `mod+Shift+M` with the key names of the platform. */
export function Keys({ keys, plain }: { keys: string; plain?: boolean }) {
  return (
    <kbd
      className={classNames(
        'font-sans text-2xs font-medium whitespace-nowrap',
        plain ? '' : 'rounded-tag border border-line bg-surface px-1.5 py-px text-fg-3',
      )}
    >
      {keyNames(keys)}
    </kbd>
  );
}
