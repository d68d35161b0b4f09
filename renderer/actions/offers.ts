import { useLayoutEffect } from 'react';
import type { ActionId, WindowAction } from '#shared/actions/action-list.ts';

/** What an action does now. `name` replaces the usual name if the state calls for another one, such as “Unpin chat”. */
export interface Offer {
  readonly run: () => void;
  readonly name?: string;
}

type Offers = Readonly<Partial<Record<WindowAction, Offer | (() => void) | null | false>>>;

const offered = new Map<ActionId, Offer>();

/** Returns what the action does now, or undefined if no part of the window offers it. */
export const getOffer = (id: ActionId): Offer | undefined => offered.get(id);

/** Offers these actions while the component is mounted. Null: not available now. */
export function useOffers(offers: Offers): void {
  useLayoutEffect(() => {
    const own = Object.entries(offers).flatMap(([id, offer]) =>
      offer ? [[id as ActionId, typeof offer === 'function' ? { run: offer } : offer] as const] : [],
    );
    for (const [id, offer] of own) offered.set(id, offer);
    return () => {
      for (const [id, offer] of own) if (offered.get(id) === offer) offered.delete(id);
    };
  });
}
