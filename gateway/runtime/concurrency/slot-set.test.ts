import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlotSet } from './running.ts';

test('a roster names those who came and have not left, however often they say that they leave', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { maxLength: 200 }), (moves) => {
      const roster = createSlotSet<number>();
      const present = new Map<number, () => void>();
      const left: (() => void)[] = [];
      for (const [turn, move] of moves.entries()) {
        const [who, leave] = [...present][Math.abs(move) % Math.max(1, present.size)] ?? [];
        if (move >= 0 || who === undefined || !leave) {
          present.set(turn, roster.add(turn));
          continue;
        }
        leave();
        left.push(leave);
        for (const again of left) again();
        present.delete(who);
      }
      expect([...roster].sort((a, b) => a - b)).toEqual([...present.keys()]);
      expect(roster.size).toBe(present.size);
    }),
  );
});
