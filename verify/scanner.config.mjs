/** The rules of n8n's scanner, for ESLint. */
import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';

export default await buildScanConfig();
