import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import type { ActionId } from '#shared/actions/action-list.ts';
import { useBindings } from '../../actions/bindings.ts';
import { Keys } from './keys.tsx';

/** A tooltip with a label and the shortcut of an action, or fixed keys. */
export function Hint({
  label,
  action,
  shortcut,
  children,
}: {
  label: string;
  action?: ActionId | undefined;
  shortcut?: string | undefined;
  children: ReactElement;
}) {
  const keys = useBindings((bindings) => (action ? bindings[action][0] : shortcut));
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <Tooltip.Popup className="pop flex items-center gap-2 rounded-control bg-ink px-2 py-1 text-on-ink text-xs font-medium shadow-float">
            {label}
            {keys && <Keys keys={keys} plain />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
