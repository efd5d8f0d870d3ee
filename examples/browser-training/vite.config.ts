import { defineConfig } from 'vite';

export default defineConfig({
  base: './', // an app serves its folder from an address of its own
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 4_000,
    rollupOptions: { input: ['index.html', 'app.html'].map((page) => new URL(page, import.meta.url).pathname) },
  },
  worker: { format: 'es' },
  optimizeDeps: { exclude: ['onnxruntime-web'] }, // it finds its WebAssembly by its own address
});
