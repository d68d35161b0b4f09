import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Keys } from './keys.tsx';

/** A tooltip with a label and its shortcut. */
export function Hint({
  label,
  shortcut,
  children,
}: {
  label: string;
  shortcut?: string | undefined;
  children: ReactElement;
}) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <Tooltip.Popup className="pop flex items-center gap-2 rounded-control bg-ink px-2 py-1 text-on-ink text-xs font-medium shadow-float">
            {label}
            {shortcut && <Keys keys={shortcut} plain />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
