/** A channel with one sender and any number of readers. A reader receives what is sent while it reads. */
export function fakeChannel<Item>() {
  const readers = new Set<{ push: (item: Item) => void; fail: () => void }>();

  function open(signal?: AbortSignal): AsyncGenerator<Item, void> {
    const waiting: Item[] = [];
    let wake: () => void = () => {};
    let failed = false;
    const reader = {
      push: (item: Item) => {
        waiting.push(item);
        wake();
      },
      fail: () => {
        failed = true;
        wake();
      },
    };
    readers.add(reader);
    signal?.addEventListener('abort', () => wake());
    return (async function* read() {
      try {
        while (!signal?.aborted) {
          const item = waiting.shift();
          if (item !== undefined) yield item;
          else if (failed) throw new Error('The connection was cut');
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        readers.delete(reader);
      }
    })();
  }

  return {
    open,
    send: (item: Item) => {
      for (const reader of readers) reader.push(item);
    },
    cut: () => {
      for (const reader of readers) reader.fail();
    },
  };
}
