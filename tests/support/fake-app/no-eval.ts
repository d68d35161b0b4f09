import { config } from 'zod';

// The page's policy forbids creating functions from text, which zod would try. The real renderer doesn't contain zod.
config({ jitless: true });
