{{/* One name for all objects: another release of the same name in the cluster would fight this one anyway. */}}
{{- define "aruba.name" -}}
{{- .Values.nameOverride | default "aruba-cloud-operator-hooks" -}}
{{- end }}

{{- define "aruba.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "aruba.name" .) "default" .Values.serviceAccount.create) -}}
{{- end }}

{{- define "aruba.selector" -}}
app.kubernetes.io/name: aruba-cloud-operator
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: hooks
{{- end }}

{{- define "aruba.labels" -}}
{{ include "aruba.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: aruba-cloud-operator
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Metadata of an object in the release's namespace. */}}
{{- define "aruba.metadata" -}}
name: {{ include "aruba.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "aruba.labels" . | nindent 2 }}
{{- end }}

{{/* What upstream's chart calls the image counts where ours is not said. */}}
{{- define "aruba.image" -}}
{{- $theirs := dig "manager" "image" dict .Values.controller -}}
{{- $repository := .Values.image.repository | default $theirs.repository -}}
{{- $tag := .Values.image.tag | default (ternary "" ($theirs.tag | default "") (ne .Values.image.repository "")) | default .Chart.AppVersion -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ $tag }}
{{- end -}}
{{- end }}

{{- define "aruba.tls" -}}
{{- if .Values.tls.existingSecret }}true{{ end -}}
{{- end }}

{{- define "aruba.port" -}}
{{- ternary 8443 8080 (ne (include "aruba.tls" .) "") -}}
{{- end }}

{{/* Where Metacontroller reaches the hooks. */}}
{{- define "aruba.url" -}}
{{- $domain := ternary (printf ".%s" .Values.kubernetesClusterDomain) "" (ne .Values.kubernetesClusterDomain "") -}}
{{- $scheme := ternary "https" "http" (ne (include "aruba.tls" .) "") -}}
{{- printf "%s://%s.%s.svc%s:%s" $scheme (include "aruba.name" .) .Release.Namespace $domain (include "aruba.port" .) -}}
{{- end }}

{{/* A setting as text: YAML's whole numbers reach a template as floats, and 67108864 must not become 6.7108864e+07. */}}
{{- define "aruba.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end -}}
{{- end }}

{{/* A half-empty reference is an empty one to nobody: see _validate.tpl, which refuses it. */}}
{{- define "aruba.hasRoleIdFrom" -}}
{{- if .Values.config.auth.multi.vault.roleIdFrom.secretKeyRef.name }}true{{ end -}}
{{- end }}

{{- define "aruba.hasRoleSecretFrom" -}}
{{- if .Values.config.auth.multi.vault.roleSecretFrom.secretKeyRef.name }}true{{ end -}}
{{- end }}

{{/* The Secret that the chart makes: only from what stands in the values, and only what the mode has use for. */}}
{{- define "aruba.secretData" -}}
{{- $auth := .Values.config.auth -}}
{{- if eq $auth.mode "single" -}}
{{- with $auth.single.clientId }}
client-id: {{ . | quote }}
{{- end }}
{{- with $auth.single.clientSecret }}
client-secret: {{ . | quote }}
{{- end }}
{{- else if eq $auth.multi.vault.auth "approle" -}}
{{- if and $auth.multi.vault.roleId (not (include "aruba.hasRoleIdFrom" .)) }}
role-id: {{ $auth.multi.vault.roleId | quote }}
{{- end }}
{{- if and $auth.multi.vault.roleSecret (not (include "aruba.hasRoleSecretFrom" .)) }}
role-secret: {{ $auth.multi.vault.roleSecret | quote }}
{{- end }}
{{- end -}}
{{- end }}

{{/* What --secret-dir is made of. The token comes last: of one file name twice, the kubelet keeps the last. */}}
{{- define "aruba.secretSources" -}}
{{- $vault := .Values.config.auth.multi.vault -}}
{{- if .Values.config.existingSecret }}
- secret: {name: {{ .Values.config.existingSecret }}}
{{- end }}
{{- if include "aruba.secretData" . }}
- secret: {name: {{ include "aruba.name" . }}}
{{- end }}
{{- if include "aruba.hasRoleIdFrom" . }}
- secret: {name: {{ $vault.roleIdFrom.secretKeyRef.name }}, items: [{key: {{ $vault.roleIdFrom.secretKeyRef.key }}, path: role-id}]}
{{- end }}
{{- if include "aruba.hasRoleSecretFrom" . }}
- secret: {name: {{ $vault.roleSecretFrom.secretKeyRef.name }}, items: [{key: {{ $vault.roleSecretFrom.secretKeyRef.key }}, path: role-secret}]}
{{- end }}
{{- with .Values.hookAuth.token }}
{{- if .existingSecret }}
- secret: {name: {{ .existingSecret }}, items: [{key: {{ .acceptedKey | default .key }}, path: hook-token}]}
{{- end }}
{{- end }}
{{- end }}

{{/* A volume's source from {configMap, secret, key}, with the file named ca.crt. */}}
{{- define "aruba.caVolume" -}}
{{- if .configMap -}}
configMap: {name: {{ .configMap }}, items: [{key: {{ .key }}, path: ca.crt}]}
{{- else -}}
secret: {secretName: {{ .secret }}, items: [{key: {{ .key }}, path: ca.crt}], defaultMode: 288}
{{- end -}}
{{- end }}

{{- define "aruba.vaultCa" -}}
{{- with .Values.config.auth.multi.vault.ca }}{{ if or .configMap .secret }}true{{ end }}{{ end -}}
{{- end }}

{{- define "aruba.clientCa" -}}
{{- with .Values.hookAuth.clientCertificate.ca }}{{ if or .configMap .secret }}true{{ end }}{{ end -}}
{{- end }}

{{/* Settings that are read once, at the start: see docs/reference/settings.md. */}}
{{- define "aruba.atStart" -}}
{{ list "rate-limit" "body-limit" "in-flight" "log-level" | toJson }}
{{- end }}
