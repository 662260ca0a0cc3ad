import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';

// Schemas are described with `.openapi(…)`, which exists only after this call: import `z` from here.
extendZodWithOpenApi(z);

export { z };
