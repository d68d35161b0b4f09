import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

interface PopoverProps {
  trigger: ReactElement;
  title: string;
  side?: 'top' | 'bottom';
  children: ReactNode;
}

/** Details behind a number or a word, opened by a click. */
export function Popover({ trigger, title, side = 'top', children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align="end" sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="pop max-h-(--available-height) w-[340px] max-w-[calc(100vw-16px)] overflow-auto rounded-menu border border-line bg-raised p-4 text-sm shadow-float">
            <Base.Title className="mb-2 font-semibold text-sm">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
