# n8n with the NeetoForm nodes. See docs/docker.md.
ARG N8N_VERSION=2.41.7@sha256:bcef56dd44014e09774219536a3f8cb07f1b553fcba94044bd9fc0f21f8676a3

FROM node:24.21.0-alpine@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1 AS package
# A version of the package, such as 1.2.0.
ARG NEETOFORM_VERSION
WORKDIR /home/node/.n8n/nodes
RUN npm install --ignore-scripts --omit=dev --no-audit --no-fund \
    "n8n-nodes-neetoform@${NEETOFORM_VERSION:?Add --build-arg NEETOFORM_VERSION=…}"

FROM n8nio/n8n:${N8N_VERSION}
# n8n loads community packages from this folder.
COPY --from=package --chown=node:node /home/node/.n8n/nodes /home/node/.n8n/nodes
ENV N8N_UNVERIFIED_PACKAGES_ENABLED=true
