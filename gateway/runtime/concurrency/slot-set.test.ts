import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlotSet } from './running.ts';

test('a slot set contains the items that were added and not removed, even when an item is removed repeatedly', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 200 }), (moves) => {
      const slotSet = createSlotSet<number>();
      const present = new Map<number, () => void>();
      const removed: (() => void)[] = [];
      for (const [turn, move] of moves.entries()) {
        const [member, remove] = [...present][Math.abs(move) % Math.max(1, present.size)] ?? [];
        if (move >= 0 || member === undefined || !remove) {
          present.set(turn, slotSet.add(turn));
          continue;
        }
        remove();
        removed.push(remove);
        for (const removeAgain of removed) removeAgain();
        present.delete(member);
      }
      expect([...slotSet].sort((a, b) => a - b)).toEqual([...present.keys()]);
      expect(slotSet.size).toBe(present.size);
    }),
  );
});
