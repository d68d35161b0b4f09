import { create } from 'zustand';
import { keep, readKept } from '../../../lib/kept.ts';

const useWrapStore = create<{ wrap: boolean }>()(() => ({ wrap: readKept().wrapCode ?? false }));

/** Whether long lines of code are broken; one choice for all blocks. */
export function useWrap(): [wrap: boolean, toggle: () => void] {
  const wrap = useWrapStore((state) => state.wrap);
  const toggle = () => {
    useWrapStore.setState({ wrap: !wrap });
    keep({ wrapCode: !wrap });
  };
  return [wrap, toggle];
}
